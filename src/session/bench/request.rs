//! A kernel with its arguments, for a device.

use super::cells::{at_width, elem};
use super::inputs::Inputs;
use crate::device::{FloatMode, HostScalar, Language, Mode, Param, RunRequest};
use crate::emit::{Kernel, ParamKind};
use crate::lang::diag::Diagnostic;
use crate::lang::nat::Nat;
use crate::session::action::Sizes;

/// How long one kernel may take, compilation and all its runs included, in seconds.
const TIME_LIMIT_S: f64 = 120.0;

/// A kernel with its arguments, for a device.
pub fn request(
    device: &str,
    kernel: &Kernel,
    sizes: &Sizes,
    inputs: &Inputs,
    mode: Mode,
    float: FloatMode,
) -> Result<RunRequest, Diagnostic> {
    let global = [0, 1, 2].map(|d| positive(&kernel.global_size[d], sizes));
    let global = match global {
        [Ok(x), Ok(y), Ok(z)] => [x, y, z],
        [x, y, z] => {
            return Err(x.and(y).and(z).err().unwrap_or_else(|| no_value("the number of work-items")));
        }
    };
    let local = match &kernel.local_size {
        Some([x, y, z]) => Some([positive(x, sizes)?, positive(y, sizes)?, positive(z, sizes)?]),
        None => None,
    };
    kernel.check_counts(&|x| sizes.get(x).copied(), global)?;
    let mut data: Vec<_> = inputs.0.iter().map(|parts| parts.iter()).collect();
    let mut params = vec![];
    for p in &kernel.params {
        let len = positive(&p.len.at_launch(global, local), sizes)? as usize;
        params.push(match &p.kind {
            ParamKind::Output(_) => Param::Output { elem: elem(p.scalar), len },
            ParamKind::Temp => Param::Temp { elem: elem(p.scalar), len },
            ParamKind::Local => Param::Local { bytes: elem(p.scalar).bytes() * len },
            ParamKind::Size(name) => Param::Int(*sizes.get(name).ok_or_else(|| no_value(name))?),
            ParamKind::Input(i, _) => {
                let next = data.get_mut(*i).and_then(Iterator::next);
                let data = at_width(next.ok_or_else(|| no_value(&p.name))?.clone(), elem(p.scalar));
                if p.by_value {
                    Param::Scalar(data.get(0).unwrap_or(HostScalar::I32(0)))
                } else {
                    Param::Input(data)
                }
            }
        });
    }
    let language = if device == "cpu" { Language::C } else { Language::OpenCl };
    Ok(RunRequest {
        device: device.to_string(),
        language,
        source: kernel.text.clone(),
        entry: kernel.name.clone(),
        params,
        global: (language == Language::OpenCl).then_some(global),
        local: local.filter(|_| language == Language::OpenCl),
        float,
        mode,
        time_limit_s: TIME_LIMIT_S,
    })
}

fn positive(n: &Nat, sizes: &Sizes) -> Result<u64, Diagnostic> {
    let value = n.eval(&|name| sizes.get(name).copied());
    value.ok().and_then(|v| u64::try_from(v).ok()).ok_or_else(|| no_value(&n.to_string()))
}

pub fn no_value(what: &str) -> Diagnostic {
    Diagnostic::error("E0151", format!("{what} has no value."))
        .hint("Give every size a value, as in `--size m=1024`.")
}
