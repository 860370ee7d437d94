//! Arrays as pictures: half blocks where there are colours, else characters that cover more or less of their cell.

use super::figures;
use super::{Alphabet, Line, Pixels, Role, Span};
use crate::device::HostData;
use crate::lang::value::Value;
use crate::session::data::Samples;
use crate::session::shown::{Part, Shown};

/// How pixels are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Two pixels a cell, in colours.
    HalfBlocks,
    /// A character a pixel, of so many as go from dark to light.
    Shades(Alphabet),
}

impl Form {
    /// From dark to light, on a dark ground.
    fn shades(self) -> &'static [char] {
        match self {
            Form::Shades(Alphabet::Ascii) => &[' ', '.', ':', '-', '=', '+', '*', '#', '%', '@'],
            _ => &[' ', '░', '▒', '▓', '█'],
        }
    }
}

/// The most cells of a larger value that are shown as numbers.
const FEW: usize = 8;

/// All that a run showed, on so many columns; no picture takes more than so many rows.
pub fn page(shown: &Shown, columns: usize, rows: usize, form: Form) -> Vec<Line> {
    let fact = |name: &str, text: String| Line::of(Role::Dim, format!("{name:<8}")).with(Role::Plain, text);
    let mut lines = vec![fact("device", shown.ran.device.clone())];
    if !shown.sizes.is_empty() {
        let sizes: Vec<String> = shown.sizes.iter().map(|(n, v)| format!("{n}={v}")).collect();
        lines.push(fact("sizes", sizes.join(" ")));
    }
    lines.extend(shown.ran.check.iter().map(|check| fact("check", check.clone())));
    lines.extend(shown.ran.warnings.iter().map(|w| Line::of(Role::Warning, format!("warning {w}"))));
    let mut lines: Vec<Line> = lines.iter().flat_map(|line| line.wrap(columns, 8)).collect();
    for part in shown.inputs.iter().chain(&shown.outputs) {
        lines.push(Line::empty());
        lines.extend(part_of(part, columns, rows, form));
    }
    for input in &shown.inputs {
        for output in &shown.outputs {
            if let (Some(a), Some(b)) = (shown_as_picture(input), shown_as_picture(output))
                && let Some(difference) = difference(a, b)
            {
                lines.push(Line::empty());
                let (_, most) = range(&difference);
                let part = if (a.width, a.height) == (b.width, b.height) { "" } else { "the middle of " };
                let title = format!("difference of {part}{} and {}", input.name, output.name);
                let others = not_finite(&difference);
                let text = match most {
                    0.0 if others.is_empty() => "none".to_owned(),
                    _ => format!("white is the largest, {}{others}", number(most)),
                };
                lines.push(heading(&title, &text));
                lines.extend(picture(&difference, (0.0, most), columns, rows, form));
            }
        }
    }
    lines
}

fn heading(title: &str, text: &str) -> Line {
    Line::of(Role::Keyword, title.to_owned()).with(Role::Dim, format!("  {text}"))
}

/// The pixels, where a part is no small array, of which the numbers say more.
fn shown_as_picture(part: &Part) -> Option<&Samples> {
    part.picture.as_ref().filter(|pixels| pixels.coloured || part.small.is_none())
}

fn part_of(part: &Part, columns: usize, rows: usize, form: Form) -> Vec<Line> {
    let pixels = shown_as_picture(part);
    if let (None, Some(value)) = (pixels, &part.small) {
        let mut lines = heading(&part.name, &part.ty).wrap(columns, 2);
        let text = format!("  {}", in_full(value, 2));
        lines.extend(text.lines().flat_map(|row| Line::of(Role::Number, row.to_owned()).wrap(columns, 4)));
        return lines;
    }
    let Some(pixels) = pixels else {
        let shown = (0..part.data.len().min(FEW)).filter_map(|i| part.data.get(i));
        let mut text: Vec<String> = shown.map(|v| number(v.to_f64())).collect();
        if part.data.len() > FEW {
            text.push(format!("… ({} cells)", part.data.len()));
        }
        return heading(&part.name, &format!("{}: {}", part.ty, text.join(" "))).wrap(columns, 2);
    };
    let (black, white) = scale(&part.data, pixels);
    let size = format!("{}, {} by {} pixels", part.ty, pixels.width, pixels.height);
    let others = not_finite(pixels);
    let text = format!("{size}; black is {}, white {}{others}", number(black), number(white));
    let mut lines = heading(&part.name, &text).wrap(columns, 2);
    lines.extend(picture(pixels, (black, white), columns, rows, form));
    lines
}

/// A value with all its cells, each row of a matrix in a line of its own.
pub fn in_full(value: &Value, indent: usize) -> String {
    match value {
        Value::Array(cells) => {
            let parts: Vec<String> = cells.iter().map(|c| in_full(c, indent + 1)).collect();
            let rows = cells.first().is_some_and(|c| matches!(c, Value::Array(_)));
            let between = if rows { format!(",\n{}", " ".repeat(indent + 1)) } else { ", ".to_owned() };
            format!("[{}]", parts.join(&between))
        }
        Value::Vector(cells) => {
            let parts: Vec<String> = cells.iter().map(|c| in_full(c, indent + 1)).collect();
            format!("<{}>", parts.join(", "))
        }
        Value::Pair(p) => format!("({}, {})", in_full(&p.0, indent + 1), in_full(&p.1, indent + 1)),
        Value::Undefined => "_".to_owned(),
        scalar => scalar.to_string(),
    }
}

/// A number, whole ones without decimals.
fn number(value: f64) -> String {
    match value {
        v if !v.is_finite() => v.to_string(),
        v if v.fract() == 0.0 && v.abs() < 1e7 => format!("{v:.0}"),
        v => figures::digits(v),
    }
}

/// The values that are black and white: those of pictures in files, or the least and the largest where some lie outside.
fn scale(data: &HostData, pixels: &Samples) -> (f64, f64) {
    let usual = match data {
        HostData::U8(_) => 255.0,
        HostData::U16(_) => f64::from(u16::MAX),
        _ => 1.0,
    };
    match range(pixels) {
        (least, most) if least < 0.0 || most > usual => (least, most),
        _ => (0.0, usual),
    }
}

/// How many pixels are left out of a scale, if any.
fn not_finite(pixels: &Samples) -> String {
    let others = pixels.pixels.iter().filter(|p| p.iter().any(|s| !s.is_finite())).count();
    match others {
        0 => String::new(),
        1 => "; one pixel is no finite number".to_owned(),
        n => format!("; {n} pixels are no finite numbers"),
    }
}

/// The least and the largest finite sample.
fn range(pixels: &Samples) -> (f64, f64) {
    let all = pixels.pixels.iter().flatten().copied().filter(|s| s.is_finite());
    let (least, most) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), s| (l.min(s), m.max(s)));
    if least <= most { (least, most) } else { (0.0, 0.0) }
}

/// How far a result is from a picture in each pixel, or from the picture's middle where it is a little smaller, as what is
/// made of windows is. None for others, and where only one of them has colours.
fn difference(a: &Samples, b: &Samples) -> Option<Samples> {
    let edge = |all: usize, part: usize| {
        let cut = all.checked_sub(part)?;
        (cut % 2 == 0 && 4 * cut <= all).then_some(cut / 2)
    };
    let (left, top) = (edge(a.width, b.width)?, edge(a.height, b.height)?);
    if a.coloured != b.coloured {
        return None;
    }
    let rows = a.pixels.chunks(a.width.max(1)).skip(top).take(b.height);
    let middle = rows.flat_map(|row| row.iter().skip(left).take(b.width));
    let apart = |(x, y): (&[f64; 3], &[f64; 3])| std::array::from_fn(|i| (x[i] - y[i]).abs());
    Some(Samples { pixels: middle.zip(&b.pixels).map(apart).collect(), ..*b })
}

/// A picture on at most so many columns and rows, its proportions kept where cells are twice as high as wide. Values that
/// are no numbers are black.
fn picture(
    samples: &Samples,
    (black, white): (f64, f64),
    columns: usize,
    rows: usize,
    form: Form,
) -> Vec<Line> {
    let (width, height) = fitted((samples.width, samples.height), (columns, 2 * rows));
    if width == 0 || height == 0 {
        return vec![];
    }
    let span = if white > black { white - black } else { 1.0 };
    let level = |value: f64| if value.is_nan() { 0.0 } else { ((value - black) / span).clamp(0.0, 1.0) };
    let pixel = |x: usize, y: usize| mean(samples, (x, y), (width, height)).map(level);
    let line = |row: usize| {
        let lower = (2 * row + 1).min(height - 1);
        let mut line = Line::empty();
        for x in 0..width {
            let (up, down) = (pixel(x, 2 * row), pixel(x, lower));
            line.spans.push(cell(up, down, form));
        }
        line
    };
    (0..height.div_ceil(2)).map(line).collect()
}

fn cell(upper: [f64; 3], lower: [f64; 3], form: Form) -> Span {
    match form {
        Form::HalfBlocks => {
            let bytes = |p: [f64; 3]| p.map(|s| (s * 255.0).round() as u8);
            let pixels = Pixels { upper: bytes(upper), lower: bytes(lower) };
            Span { pixels: Some(pixels), ..Span::new(Role::Plain, "▀") }
        }
        Form::Shades(_) => {
            let shades = form.shades();
            let light = upper.iter().chain(&lower).sum::<f64>() / 6.0;
            let i = (light * shades.len() as f64) as usize;
            Span::new(Role::Plain, shades[i.min(shades.len() - 1)].to_string())
        }
    }
}

/// The largest size with the same proportions, not above the picture's own.
fn fitted((width, height): (usize, usize), (columns, rows): (usize, usize)) -> (usize, usize) {
    if width == 0 || height == 0 {
        return (0, 0);
    }
    let shrink = (columns as f64 / width as f64).min(rows as f64 / height as f64).min(1.0);
    let part = |n: usize, most: usize| ((n as f64 * shrink).round() as usize).clamp(1, most.max(1));
    (part(width, columns), part(height, rows))
}

/// The mean of the samples that a pixel of the smaller picture stands for.
fn mean(samples: &Samples, (x, y): (usize, usize), (width, height): (usize, usize)) -> [f64; 3] {
    let part = |i: usize, of: usize, all: usize| {
        let from = i * all / of;
        from..((i + 1) * all / of).max(from + 1).min(all)
    };
    let (mut sum, mut count) = ([0.0; 3], 0.0);
    for row in part(y, height, samples.height) {
        for column in part(x, width, samples.width) {
            if let Some(pixel) = samples.pixels.get(row * samples.width + column) {
                (0..3).for_each(|i| sum[i] += pixel[i]);
                count += 1.0;
            }
        }
    }
    sum.map(|s| if count > 0.0 { s / count } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grey(width: usize, height: usize, of: impl Fn(usize, usize) -> f64) -> Samples {
        let pixels =
            (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| [of(x, y); 3]).collect();
        Samples { width, height, coloured: false, pixels }
    }

    #[test]
    fn a_picture_keeps_its_proportions_and_its_place() {
        for (size, most, fits) in [
            ((96, 64), (120, 60), (96, 60)),
            ((96, 64), (48, 100), (48, 32)),
            ((4000, 10), (80, 40), (80, 1)),
            ((1, 1), (80, 40), (1, 1)),
            ((0, 7), (80, 40), (0, 0)),
            ((7, 7), (0, 0), (1, 1)),
        ] {
            let (width, height) = fitted(size, most);
            let near = |a: usize, b: usize| a.abs_diff(b) <= b / 8;
            assert!(near(width, fits.0) && near(height, fits.1), "{size:?} in {most:?}: {width} by {height}");
        }
        assert!(picture(&grey(0, 7, |_, _| 1.0), (0.0, 1.0), 80, 40, Form::HalfBlocks).is_empty());
    }

    #[test]
    fn half_blocks_are_two_pixels_and_an_odd_last_row_is_itself() {
        let lines = picture(&grey(2, 3, |x, y| (x + y) as f64 / 3.0), (0.0, 1.0), 80, 40, Form::HalfBlocks);
        assert_eq!(lines.len(), 2);
        let at = |row: usize, x: usize| lines[row].spans[x].pixels.unwrap();
        assert_eq!((at(0, 0).upper, at(0, 0).lower), ([0; 3], [85; 3]));
        assert_eq!((at(0, 1).upper, at(0, 1).lower), ([85; 3], [170; 3]));
        assert_eq!((at(1, 1).upper, at(1, 1).lower), ([255; 3], [255; 3]));
    }

    #[test]
    fn without_colours_more_light_covers_more() {
        let ramp = grey(10, 2, |x, _| x as f64);
        for (form, text) in
            [(Form::Shades(Alphabet::Ascii), " .:-=+*#%@"), (Form::Shades(Alphabet::Unicode), "  ░░▒▒▓▓██")]
        {
            let lines = picture(&ramp, (0.0, 9.0), 80, 40, form);
            assert_eq!(lines.iter().map(Line::text).collect::<Vec<_>>(), [text]);
        }
    }

    #[test]
    fn what_is_no_number_is_black_and_scales_nothing() {
        let hostile = grey(2, 2, |x, y| [[f64::NAN, f64::INFINITY], [f64::NEG_INFINITY, 5.0]][y][x]);
        assert_eq!(range(&hostile), (5.0, 5.0));
        assert_eq!(not_finite(&hostile), "; 3 pixels are no finite numbers");
        let lines = picture(&hostile, (5.0, 5.0), 80, 40, Form::HalfBlocks);
        assert_eq!(lines[0].spans[0].pixels.unwrap().upper, [0; 3]);
        assert_eq!(lines[0].spans[1].pixels.unwrap().upper, [255; 3]);
    }

    /// A small matrix is its numbers, as `run` prints them, and a larger one a picture.
    #[test]
    fn small_arrays_are_shown_as_numbers() {
        let row =
            |values: &[f32]| Value::Array(values.iter().map(|v| Value::F32(*v)).collect::<Vec<_>>().into());
        let part = |small: Option<Value>| Part {
            name: "a".to_owned(),
            ty: "n.m.f32".to_owned(),
            data: HostData::F32(vec![0.0, 1.0, 2.5, 3.0]),
            small,
            picture: Some(grey(2, 2, |x, y| (x + 2 * y) as f64)),
        };
        let form = Form::Shades(Alphabet::Ascii);
        let said = |small| part_of(&part(small), 40, 10, form).iter().map(Line::text).collect::<Vec<_>>();
        let small = Value::Array(vec![row(&[0.0, 1.0]), row(&[2.5, 3.0])].into());
        assert_eq!(said(Some(small)), ["a  n.m.f32", "  [[0.0, 1.0],", "   [2.5, 3.0]]"]);
        assert!(said(None)[0].contains("2 by 2 pixels"), "{:?}", said(None));
    }

    #[test]
    fn a_result_is_held_against_what_it_was_made_of() {
        let (a, b) = (grey(3, 2, |x, _| x as f64), grey(3, 2, |_, y| y as f64));
        assert_eq!(difference(&a, &b).unwrap().pixels[2], [2.0; 3]);
        assert_eq!(difference(&a, &grey(2, 3, |_, _| 0.0)), None);
        assert_eq!(difference(&a, &Samples { coloured: true, ..b }), None);
        let (whole, inner) =
            (grey(20, 12, |x, y| (x + 100 * y) as f64), grey(16, 10, |x, y| (x + 100 * y) as f64));
        let apart = difference(&whole, &inner).unwrap();
        assert_eq!((apart.width, apart.height, apart.pixels.len()), (16, 10, 160));
        assert!(apart.pixels.iter().all(|p| *p == [102.0; 3]), "two to the right and one down");
        assert_eq!(difference(&whole, &grey(10, 6, |_, _| 0.0)), None, "half the size is another picture");
    }
}
