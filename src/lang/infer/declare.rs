//! Patterns and foreign functions that a program declares.
//!
//! A pattern is elaborated as a definition is; its term, in its own sizes and types, becomes its meaning. From then on
//! its name is a pattern, which does not unfold.

use super::build::Builder;
use super::codes;
use super::scheme::{Choice, Explicit, ExplicitKind, Scheme};
use super::state::Infer;
use crate::declared::{Declaration, Declared, Foreign, Meaning, Patterns, used_in};
use crate::diag::{Diagnostic, Span};
use crate::nat::{Name, Nat};
use crate::print;
use crate::syntax::ast::{self, ForeignDef, Item, ItemKind, ParamKind};
use crate::syntax::print as tree;
use crate::term::Arg;
use crate::ty::{Scalar, Type};
use rustc_hash::FxHashSet;

/// The patterns that a text declares. Problems with it are told by [`super::program`].
pub fn patterns(file: &ast::File) -> Patterns {
    let mut infer = Infer::default();
    infer.definitions(file, None);
    infer.patterns
}

/// Words that C or OpenCL C have taken, in the places where a foreign function has names.
const TAKEN: [&str; 36] = [
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
    "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return",
    "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void",
    "volatile", "while", "main", "kernel",
];

fn is_c_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !TAKEN.contains(&name)
}

impl Infer {
    /// Makes the last definition a pattern of its name.
    pub(super) fn declare_pattern(&mut self, item: &Item) {
        let Some(def) = self.defs.len().checked_sub(1) else { return };
        if self.defs[def].broken {
            return;
        }
        let name = self.defs[def].name.clone();
        let span = self.defs[def].span;
        // What it computes has one type, whatever a use would say.
        self.checks = std::mem::take(&mut self.defs[def].checks);
        self.defaults(&FxHashSet::default());
        self.defs[def].checks = std::mem::take(&mut self.checks);
        self.u.write_out();
        let (params, body, extra) = self.parameters(def);
        let built = Builder::new(self).build(&[], &params, body, &extra);
        let term = match built {
            Ok((term, _)) => term,
            Err(unbuilt) => {
                let problem = self.unbuilt(&name, &unbuilt);
                self.problem(problem);
                self.defs[def].broken = true;
                return;
            }
        };
        let definition = &self.defs[def];
        let explicit: Vec<Name> = definition
            .slots
            .iter()
            .filter_map(
                |slot| if let super::defs::Slot::Size(name) = slot { Some(name.clone()) } else { None },
            )
            .collect();
        let scheme = Scheme {
            nats: definition.sizes.iter().filter(|n| !explicit.contains(n)).cloned().collect(),
            explicit: explicit.into_iter().map(|name| Explicit { name, kind: ExplicitKind::Nat }).collect(),
            types: definition.types.clone(),
            ty: self.u.known(&definition.ty),
        };
        let signature = signature(&scheme);
        let options = print::Options { unicode: false, width: 100, ..print::Options::default() };
        let doc = item.doc.join("\n");
        let text = format!(
            "{}pattern {name} : {signature} =\n  {}\n",
            tree::documentation(&item.doc),
            print::term(&term, &options).text.replace('\n', "\n  ")
        );
        let needs = used_in(&term);
        let meaning = Meaning::Term(term);
        let declared = Declared::new(Declaration { name, scheme, signature, meaning, doc, text, needs });
        if let Some(unknown) = undetermined(declared) {
            self.problem(
                Diagnostic::error(
                    codes::AMBIGUOUS_PATTERN,
                    format!("The type of `{}` does not tell its {unknown}.", declared.name()),
                )
                .label(span, "its arguments do not say what this is")
                .note(format!("Its type is {}.", declared.row().scheme))
                .hint("Make a size an explicit argument, `(n: nat)`; a type must stand in the type of an argument or of the result."),
            );
            self.defs[def].broken = true;
            return;
        }
        self.def_names.remove(declared.name());
        self.meanings.insert(declared, def);
        self.patterns.declare(declared);
    }

    /// What a declared pattern asks of its types, at this use.
    pub(super) fn checks_of(
        &mut self,
        declared: Declared,
        nats: &[(Name, Nat)],
        types: &[(Name, Type)],
        span: Span,
    ) {
        let Some(def) = self.meanings.get(&declared) else { return };
        let choice = Choice { nats, types };
        self.checks.extend(self.defs[*def].checks.iter().map(|check| check.at_use(&choice, span)));
    }

    /// Declares a foreign function.
    pub(super) fn foreign(&mut self, def: &ForeignDef, item: &Item) {
        let mut params: Vec<(Name, Scalar, Span)> = vec![];
        let before = self.problems.len();
        let scalar = |infer: &mut Infer, ty: &ast::Type| {
            let scalar = match &ty.kind {
                ast::TypeKind::Name(name) => Scalar::from_name(name),
                _ => None,
            };
            if scalar.is_none() && !matches!(ty.kind, ast::TypeKind::Error) {
                let message = "A foreign function takes and returns scalars.";
                infer.problem(
                    Diagnostic::error(codes::FOREIGN, message)
                        .label(ty.span, "no scalar type")
                        .hint("Write a scalar type such as `f32`, and use `map` for arrays."),
                );
            }
            scalar
        };
        for param in &def.params {
            match &param.kind {
                ParamKind::Typed(names, ty) => {
                    let Some(scalar) = scalar(self, ty) else { continue };
                    params.extend(names.iter().map(|n| (n.kind.clone(), scalar, n.span)));
                }
                _ => {
                    let message = "Each parameter of a foreign function has a scalar type.";
                    self.problem(
                        Diagnostic::error(codes::FOREIGN, message)
                            .label(param.span, "not such a parameter")
                            .hint("Write `(x: f32)`."),
                    );
                }
            }
        }
        let result = scalar(self, &def.result);
        if def.params.is_empty() {
            let message = format!("The foreign function `{}` has no parameters.", def.name.kind);
            self.problem(
                Diagnostic::error(codes::FOREIGN, message)
                    .label(def.name.span, "it would be a constant")
                    .hint("Give it one, or write the number where it is used."),
            );
        }
        let names = params.iter().map(|(n, _, span)| (n, *span));
        for (name, span) in names.chain([(&def.name.kind, def.name.span)]) {
            if !is_c_name(name) {
                let message = format!("`{name}` cannot be a name in C.");
                self.problems.push(
                    Diagnostic::error(codes::FOREIGN, message)
                        .label(span, "not possible")
                        .hint("Use letters, digits and `_`, and no word that C has taken."),
                );
            }
        }
        for (i, (name, _, span)) in params.iter().enumerate() {
            if params[..i].iter().any(|(n, ..)| n == name) {
                let message = format!("Two parameters are called `{name}`.");
                self.problems.push(
                    Diagnostic::error(codes::TAKEN, message)
                        .label(*span, "again")
                        .hint("Choose another name for one of them."),
                );
            }
        }
        let Some(result) = result.filter(|_| self.problems.len() == before) else { return };
        let types: Vec<Type> = params.iter().map(|(_, s, _)| Type::scalar(*s)).collect();
        let ty = Type::function(&types, Type::scalar(result));
        let scheme = Scheme { explicit: vec![], nats: vec![], types: vec![], ty };
        let bare = Item { span: item.span, doc: item.doc.clone(), kind: ItemKind::Foreign(def.clone()) };
        let foreign = Foreign {
            params: params.into_iter().map(|(n, s, _)| (n, s)).collect(),
            result,
            body: def.body.kind.trim().to_string(),
        };
        self.patterns.declare(Declared::new(Declaration {
            name: def.name.kind.clone(),
            signature: signature(&scheme),
            scheme,
            meaning: Meaning::Foreign(foreign),
            doc: if item.doc.is_empty() {
                "A foreign function, written in C.".into()
            } else {
                item.doc.join("\n")
            },
            text: tree::item(&bare, &tree::Options::default()) + "\n",
            needs: vec![],
        }));
    }
}

/// The notation of the table for a scheme.
fn signature(scheme: &Scheme) -> String {
    let list = |names: &[Name]| names.iter().map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
    let mut out = String::new();
    let explicit: Vec<Name> = scheme.explicit.iter().map(|e| e.name.clone()).collect();
    for (names, (open, close), kind) in [
        (&explicit, ('(', ')'), "nat"),
        (&scheme.nats, ('{', '}'), "nat"),
        (&scheme.types, ('{', '}'), "data"),
    ] {
        if !names.is_empty() {
            out += &format!("{open}{}: {kind}{close} ", list(names));
        }
    }
    out + &scheme.ty.to_string()
}

/// A size or type that the type of a pattern does not tell.
fn undetermined(declared: Declared) -> Option<String> {
    let scheme = declared.scheme();
    let args: Vec<Arg> = scheme.explicit.iter().map(|e| Arg::Nat(Nat::var(&e.name))).collect();
    let (params, result) = scheme.ty.signature();
    let Some((chosen, _)) = declared.instance(&args, &params, Some(&result)) else {
        return Some("sizes".into());
    };
    let nat = scheme.nats.iter().find(|n| chosen.nats.get(*n).is_none_or(|n| n.has_metas()));
    let ty = scheme.types.iter().find(|t| chosen.types.get(*t).is_none_or(|t| t.has_metas()));
    nat.map(|n| format!("size `{n}`")).or_else(|| ty.map(|t| format!("type `{t}`")))
}
