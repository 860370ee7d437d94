//! A kernel on an OpenCL device.

use crate::device_common;
use crate::emit_common::Case;
use shine_tui::device::{Devices, FloatMode, Param};
use shine_tui::emit::ParamKind;
use shine_tui::lang::value::Buffer;
use shine_tui::session::bench::cells::{buffer, host_data};

/// Fails unless the device computes what is expected.
pub fn check(case: &Case, device: &str, devices: &Devices) {
    let mut inputs = case.input_components().into_iter();
    let params = case.kernel.params.iter().map(|p| match &p.kind {
        ParamKind::Size(x) => Param::Int(case.sizes[x]),
        ParamKind::Input(..) => {
            let data = host_data(&inputs.next().unwrap());
            if p.by_value { Param::Scalar(data.get(0).unwrap()) } else { Param::Input(data) }
        }
        ParamKind::Output(_) => Param::Output { elem: p.scalar, len: case.len(p) },
        ParamKind::Temp => Param::Temp { elem: p.scalar, len: case.len(p) },
        ParamKind::Local => Param::Local { bytes: p.scalar.bytes() * case.len(p) },
    });
    let mut request = device_common::request(device, &case.kernel.text, &case.kernel.name, params.collect());
    request.steps[0].global = Some(case.global);
    request.float = FloatMode::Strict;
    let report = device_common::run(devices, &request)
        .unwrap_or_else(|e| panic!("{}: {e:?}\n{}", case.label, case.kernel.text));
    let outputs: Vec<Buffer> = report.outputs.iter().map(buffer).collect();
    let (mut output, mut at) = (0, 0);
    case.check(|_| {
        while at == outputs[output].len() {
            (output, at) = (output + 1, 0);
        }
        at += 1;
        outputs[output].get(at - 1).unwrap()
    });
}
