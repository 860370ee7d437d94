//! `shine-tui run`: a program on data of the user's own.

use super::args::Run;
use super::exit::Exit;
use super::load::{fail, opened, run_strategies, sizes};
use super::output;
use crate::device::{HostData, HostScalar};
use crate::emit::code::{Leaf, leaves};
use crate::emit::data;
use crate::lang::diag::Diagnostic;
use crate::lang::ty::Type;
use crate::session::Session;
use crate::session::action::{Action, Sizes};
use crate::session::bench::cells::buffer;
use crate::session::bench::{Inputs, Ran, target_of};
use crate::session::data::{Fitted, Wanted, Written, holds, named, shape, writable, write};
use crate::view::picture::in_full;
use serde_json::{Value as Json, json};

/// The most cells of a result that is printed.
const SMALL: usize = 256;

/// Runs the program once, and prints or writes its result.
pub fn run(args: &Run) -> Result<Exit, Exit> {
    let mut session = opened(&args.rewriting, None)?;
    if args.allow_foreign {
        session.allow_foreign();
    }
    let result = Done::of(&mut session, args).map_err(|d| fail(&d))?;
    if args.json.json {
        output::json(&result.as_json(args))?;
    } else {
        output::print(&result.in_words().map_err(|d| fail(&d))?)?;
    }
    Ok(Exit::Done)
}

/// A result, written where that was asked for.
struct Done {
    ran: Ran,
    sizes: Sizes,
    ty: Type,
    wanted: Vec<Wanted>,
}

impl Done {
    fn of(session: &mut Session, args: &Run) -> Result<Done, Diagnostic> {
        let (_, ty) = session.workspace().program.ty.signature();
        let wanted = named(&args.outputs, &ty)?;
        let parts = leaves(&ty);
        let wanted_parts = || wanted.iter().filter_map(|w| Some((w, parts.get(w.component)?)));
        for (w, leaf) in wanted_parts() {
            writable(&w.path, leaf, args.force)?;
        }
        let Fitted { inputs, sizes } =
            session.fit(&args.data.inputs, true, &self::sizes(&args.rewriting.program)?)?;
        let inputs = Inputs(inputs.into_iter().flatten().collect());
        // Strategies know the sizes of what is given.
        session.perform_now(Action::Sizes { sizes: sizes.clone() })?;
        run_strategies(session, &args.rewriting, Some(target_of(&args.device)))?;
        for (w, leaf) in wanted_parts() {
            holds(&w.path, &shape(leaf, &sizes), leaf)?;
        }
        let ran = session.run(&args.device, &inputs, !args.no_check)?;
        let mut done = Done { ran, sizes, ty, wanted };
        // All files are complete before the first is in its place.
        let files = done
            .written()
            .map(|(w, (leaf, data))| write(&w.path, data, &shape(&leaf, &done.sizes), &leaf, args.force));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        let warnings: Vec<String> = files.iter().filter_map(|file| file.warning.clone()).collect();
        files.into_iter().try_for_each(Written::place)?;
        done.ran.warnings.extend(warnings);
        Ok(done)
    }

    fn written(&self) -> impl Iterator<Item = (&Wanted, (Leaf, &HostData))> {
        let all = leaves(&self.ty);
        self.wanted.iter().filter_map(move |w| {
            Some((w, (all.get(w.component)?.clone(), self.ran.outputs.get(w.component)?)))
        })
    }

    /// Does what stands in this cell of a component mean nothing?
    fn is_undefined(&self, component: usize, cell: usize) -> bool {
        self.ran.undefined.get(component).and_then(|of| of.get(cell)).copied().unwrap_or(false)
    }

    fn in_words(&self) -> Result<String, Diagnostic> {
        let sizes: Vec<String> = self.sizes.iter().map(|(n, v)| format!("{n}={v}")).collect();
        let mut text = format!("device    {}\n", self.ran.device);
        if !sizes.is_empty() {
            text += &format!("sizes     {}\n", sizes.join(" "));
        }
        let check = self.ran.check.as_deref().unwrap_or("none, as --no-check asks");
        text += &format!("check     {check}\n");
        self.ran.warnings.iter().for_each(|w| text += &format!("warning   {w}\n"));
        for (w, _) in self.written() {
            text += &format!("written   {}\n", w.path.display());
        }
        let cells: usize = self.ran.outputs.iter().map(HostData::len).sum();
        if cells <= SMALL {
            let parts: Vec<_> = self.ran.outputs.iter().map(buffer).collect();
            let value = data::join_defined(&parts, &self.ty, &self.sizes, &|k, i| self.is_undefined(k, i))?;
            text += &format!("result    {}\n", in_full(&value, 10));
        } else if self.wanted.is_empty() {
            text += &format!("result    {cells} cells of {}; `--output` writes them\n", self.ty);
        }
        Ok(text)
    }

    fn as_json(&self, args: &Run) -> Json {
        let outputs =
            leaves(&self.ty).into_iter().zip(&self.ran.outputs).enumerate().map(|(i, (leaf, data))| {
                let file =
                    self.wanted.iter().find(|w| w.component == i).map(|w| w.path.display().to_string());
                let values = (data.len() <= SMALL).then(|| {
                    (0..data.len()).map(|k| match data.get(k) {
                        Some(value) if !self.is_undefined(i, k) => number(value),
                        _ => Json::Null,
                    })
                });
                json!({
                    "type": leaf.scalar().name(),
                    "shape": shape(&leaf, &self.sizes),
                    "file": file,
                    "values": values.map(Iterator::collect::<Vec<_>>),
                })
            });
        json!({
            "device": self.ran.device,
            "kernel": self.ran.kernel.to_string(),
            "sizes": self.sizes.iter().map(|(n, v)| (n.to_string(), json!(v))).collect::<serde_json::Map<_, _>>(),
            "checked": !args.no_check,
            "check": self.ran.check,
            "warnings": self.ran.warnings,
            "outputs": outputs.collect::<Vec<_>>(),
        })
    }
}

/// A number of JSON; what JSON has none for is a string.
fn number(value: HostScalar) -> Json {
    match value {
        HostScalar::Bool(v) => json!(v),
        HostScalar::I64(v) => json!(v),
        HostScalar::U64(v) => json!(v),
        value if value.to_f64().is_finite() && value.elem().is_float() => json!(value.to_f64()),
        value if value.to_f64().is_finite() => json!(value.to_f64() as i64),
        value => json!(value.to_f64().to_string()),
    }
}
