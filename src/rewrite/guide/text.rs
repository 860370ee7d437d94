//! Nests as text that reads back: with abbreviations where they say the same.

use super::nest::{LoopSketch, Nest, plain};
use crate::lang::diag::Span;
use crate::lang::diag::sentence;
use crate::lang::nat::Name;
use crate::lang::syntax::parse_sketch;
use crate::sketch::{Library, NatSketch, Sketch, TypeSketch, read};

/// Writes sketches for who has these definitions and sizes.
pub struct Writer<'a> {
    library: &'a Library,
    sizes: &'a [Name],
    /// What the abbreviations without parameters stand for.
    names: Vec<(Name, Sketch)>,
}

impl<'a> Writer<'a> {
    pub fn new(library: &'a Library, sizes: &'a [Name]) -> Writer<'a> {
        let mut writer = Writer { library, sizes, names: vec![] };
        // Only words for what is computed: a name for a whole goal would hide what a guide says.
        let named = library.names().filter(|name| name.starts_with("contains"));
        writer.names = named.filter_map(|name| Some((name.clone(), plain(&writer.read(name)?)))).collect();
        writer
    }

    /// The sketch with its text. Abbreviations stand in it only where they mean what it says.
    pub fn write(&self, nest: &Nest) -> (String, Sketch) {
        let sketch = nest.sketch();
        let short = self.short(nest);
        match self.read(&short).filter(|s| plain(s) == sketch) {
            Some(named) => (short, named),
            None => (sketch.to_string(), sketch),
        }
    }

    fn read(&self, text: &str) -> Option<Sketch> {
        let (tree, problems) = parse_sketch(Span::NOWHERE.file, text);
        if problems.is_empty() { read(&tree, self.library, self.sizes).ok() } else { None }
    }

    fn short(&self, nest: &Nest) -> String {
        match nest {
            Nest::Other(s) => self.named(s),
            Nest::And(all) => {
                let each: Vec<String> = all.iter().map(|n| self.short(n)).collect();
                each.join(" and ")
            }
            Nest::Store(ty, _, value) => format!("containsToMem({ty}, {})", self.short(value)),
            Nest::Loop(l) => {
                let args: Vec<String> = [over(l), self.short(&l.body)]
                    .into_iter()
                    .chain(l.operands.iter().map(|n| self.short(n)))
                    .collect();
                let name = sentence(&l.pattern.to_string());
                format!("contains{name}({})", args.join(", "))
            }
        }
    }

    fn named(&self, sketch: &Sketch) -> String {
        let name = self.names.iter().find(|(_, s)| s == sketch).map(|(name, _)| name.to_string());
        name.unwrap_or_else(|| sketch.to_string())
    }
}

fn over(l: &LoopSketch) -> String {
    match &l.over {
        TypeSketch::Any => "?".to_owned(),
        TypeSketch::Array(n, element) if **element == TypeSketch::Any => match n {
            NatSketch::Any => "?".to_owned(),
            NatSketch::Is(n) => n.to_string(),
        },
        ty => ty.to_string(),
    }
}
