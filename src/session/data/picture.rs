//! Pictures as arrays: rows, columns and, for colours, channels (`n.m.3.u8`, as files have them, or `3.n.m.u8`, plane by
//! plane, as the type says). Integers take samples as they are; floats take them as numbers from 0 to 1.

use super::{Array, Refusal, type_text};
use crate::device::HostData;
use crate::emit::code::Leaf;
use crate::lang::nat::Nat;
use crate::lang::ty::{Scalar, Type};
use crate::lang::value::half;
use std::io::{self, Cursor};

/// The most samples of a picture.
pub(super) const MAX_SAMPLES: usize = 1 << 31;

/// A picture: rows from the top, pixels from the left, the channels of a pixel beside each other.
pub(super) struct Picture {
    pub width: usize,
    pub height: usize,
    /// 1 for grey, 3 for colours, one more with an alpha channel.
    pub channels: usize,
    /// The largest value of a sample.
    pub most: u16,
    pub samples: Vec<u16>,
}

impl Picture {
    /// The samples as bytes, of one or two as the largest value asks.
    pub fn big_endian(&self) -> Vec<u8> {
        let size = if self.most > 255 { 2 } else { 1 };
        self.samples.iter().flat_map(|s| s.to_be_bytes().into_iter().skip(2 - size)).collect()
    }
}

/// Where the channels of a picture lie in an array of three dimensions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Channels {
    First,
    Last,
}

/// What the type says of it: a dimension that is a number of channels for all sizes; else as files have it.
fn channels(leaf: &Leaf) -> Channels {
    let few = |i: usize| leaf.dims.get(i).and_then(|d| d.as_constant()).is_some_and(|n| (1..=4).contains(&n));
    if few(0) && !few(2) { Channels::First } else { Channels::Last }
}

/// Reads a picture that is to be a value of the component.
pub(super) fn read_png(bytes: &[u8], leaf: &Leaf) -> Result<Picture, Refusal> {
    let cannot = |e: png::DecodingError| match e {
        png::DecodingError::LimitsExceeded => Refusal::new("E0912", "the picture is too large"),
        e => Refusal::new(
            "E0912",
            format!("it is no PNG picture, or damaged ({})", e.to_string().trim_end_matches('.')),
        ),
    };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: MAX_SAMPLES });
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(cannot)?;
    let (colour, depth) = reader.output_color_type();
    let most = if depth == png::BitDepth::Sixteen { u16::MAX } else { 255 };
    // What does not fit is refused before there is room made for it: the head may promise more than follows.
    check(colour.samples(), most, leaf)?;
    let size = reader.output_buffer_size().filter(|n| *n <= MAX_SAMPLES);
    let mut data = vec![];
    let room = size.and_then(|n| data.try_reserve_exact(n).ok().map(|()| n));
    data.resize(room.ok_or_else(|| Refusal::new("E0912", "the picture is too large"))?, 0u8);
    let info = reader.next_frame(&mut data).map_err(cannot)?;
    let samples = match info.bit_depth {
        png::BitDepth::Sixteen => {
            data.chunks_exact(2).map(|c| c.iter().fold(0, |n, b| n << 8 | u16::from(*b))).collect()
        }
        _ => data.iter().map(|b| u16::from(*b)).collect(),
    };
    Ok(Picture {
        width: info.width as usize,
        height: info.height as usize,
        channels: info.color_type.samples(),
        most,
        samples,
    })
}

fn colours(channels: usize) -> &'static str {
    match channels {
        1 => "grey",
        2 => "grey with an alpha channel",
        3 => "three colours",
        _ => "three colours and an alpha channel",
    }
}

/// How it is saved to have so many channels.
fn saved_as(channels: usize) -> &'static str {
    match channels {
        1 => "grey without an alpha channel",
        2 => "grey with an alpha channel",
        3 => "three colours without an alpha channel",
        _ => "three colours with an alpha channel",
    }
}

/// The type of elements that has such samples as they are, where one has.
fn sampled(most: u16) -> Scalar {
    match most {
        255 => Scalar::U8,
        u16::MAX => Scalar::U16,
        _ => Scalar::F32,
    }
}

/// The type with so many channels, and elements that can be such samples.
fn with_channels(leaf: &Leaf, count: usize, most: u16) -> String {
    let mut dims = leaf.dims.clone();
    match (count, channels(leaf)) {
        (1, Channels::First) => drop(dims.remove(0)),
        (1, Channels::Last) => drop(dims.pop()),
        (n, Channels::First) => dims[0] = Nat::constant(n as i64),
        (n, Channels::Last) => dims[2] = Nat::constant(n as i64),
    }
    let is_float = leaf.scalar().is_float();
    let of = if is_float { leaf.elem.clone() } else { Type::scalar(sampled(most)) };
    type_text(&Leaf { dims, elem: of, ..leaf.clone() })
}

/// The number of channels that the type asks for, where it is one for all sizes.
fn asked(leaf: &Leaf) -> Option<usize> {
    let [first, _, last] = leaf.dims.as_slice() else { return None };
    let dim = if channels(leaf) == Channels::First { first } else { last };
    usize::try_from(dim.as_constant()?).ok()
}

/// Can a picture of so many channels, with samples up to `most`, be a value of the component?
pub(super) fn check(count: usize, most: u16, leaf: &Leaf) -> Result<(), Refusal> {
    let why = || format!("the picture is {}, which is no `{}`", colours(count), type_text(leaf));
    if !matches!((leaf.dims.len(), count), (2, 1) | (3, _)) {
        let of = Type::scalar(sampled(most));
        let hint = match (count, most) {
            (1, 255 | u16::MAX) => format!("This grey picture fits `n.m.f32` or `n.m.{of}`."),
            (1, _) => "This grey picture fits `n.m.f32`.".to_owned(),
            (n, _) => format!("It fits `n.m.{n}.{of}` or `{n}.n.m.{of}`, and floats likewise."),
        };
        return Err(Refusal::new("E0914", why()).hint(hint));
    }
    if let Some(n) = asked(leaf).filter(|n| *n != count) {
        let fits = with_channels(leaf, count, most);
        let other = match n {
            1..=4 => format!(", or save the picture as {}", saved_as(n)),
            _ => String::new(),
        };
        return Err(Refusal::new("E0914", why()).hint(format!("Take `{fits}` in the program{other}.")));
    }
    let elem = leaf.scalar();
    match (elem, most) {
        (Scalar::F16 | Scalar::F32 | Scalar::F64, _) | (Scalar::U8, 255) | (Scalar::U16, u16::MAX) => Ok(()),
        (Scalar::U8 | Scalar::U16, _) => {
            let fits = match most {
                255 => "`u8` and floats take it.",
                u16::MAX => "`u16` and floats take it.",
                _ => "Floats take it.",
            };
            let why = format!("its samples go from 0 to {most}, which are not those of {}", elem.name());
            Err(Refusal::new("E0913", why).hint(fits))
        }
        _ => Err(Refusal::new("E0913", format!("a picture is no array of {}", elem.name()))
            .hint("Take `u8` or `f32` in the program, and `cast` there.")),
    }
}

pub(super) fn to_array(picture: Picture, leaf: &Leaf) -> Result<Array, Refusal> {
    let Picture { width, height, channels: count, most, samples } = picture;
    check(count, most, leaf)?;
    let (shape, samples) = match (leaf.dims.len(), channels(leaf)) {
        (3, Channels::First) => {
            let plane = |c: usize| samples.iter().skip(c).step_by(count).copied();
            (vec![count, height, width], (0..count).flat_map(plane).collect())
        }
        (3, Channels::Last) => (vec![height, width, count], samples),
        _ => (vec![height, width], samples),
    };
    Ok(Array { cells: to_cells(samples, most, leaf.scalar()), shape: Some(shape) })
}

/// Samples as cells of a type that [`check`] found fit.
fn to_cells(samples: Vec<u16>, most: u16, elem: Scalar) -> HostData {
    let part = |s: &u16| f64::from(*s) / f64::from(most);
    match elem {
        Scalar::U8 => HostData::U8(samples.iter().map(|s| *s as u8).collect()),
        Scalar::U16 => HostData::U16(samples),
        Scalar::F16 => {
            HostData::F16(samples.iter().map(|s| half::to_bits(half::round_f64(part(s)))).collect())
        }
        Scalar::F64 => HostData::F64(samples.iter().map(part).collect()),
        _ => HostData::F32(samples.iter().map(|s| part(s) as f32).collect()),
    }
}

/// Are values of this type pictures?
pub(super) fn can_be(leaf: &Leaf) -> Result<(), Refusal> {
    let elem = leaf.scalar();
    if !elem.is_float() && elem != Scalar::U8 && elem != Scalar::U16 {
        return Err(Refusal::new("E0913", format!("a picture has no samples of {}", elem.name()))
            .hint("`cast` to `u8` in the program, or write `.npy`."));
    }
    if leaf.dims.len() == 2 || leaf.dims.len() == 3 { Ok(()) } else { Err(no_picture(leaf)) }
}

fn no_picture(leaf: &Leaf) -> Refusal {
    let hint =
        "Pictures are `n.m.u8`, `n.m.3.u8`, `3.n.m.u8`, and floats likewise; `.npy` holds every array.";
    Refusal::new("E0914", format!("`{}` is no picture", type_text(leaf))).hint(hint)
}

/// The height, width and channels of an array with this shape.
pub(super) fn extent(shape: &[usize], leaf: &Leaf) -> Result<(usize, usize, usize), Refusal> {
    can_be(leaf)?;
    let is_planar = channels(leaf) == Channels::First;
    match *shape {
        [h, w] => Ok((h, w, 1)),
        [c, h, w] if is_planar && (1..=4).contains(&c) => Ok((h, w, c)),
        [h, w, c] if !is_planar && (1..=4).contains(&c) => Ok((h, w, c)),
        _ => Err(no_picture(leaf)),
    }
}

/// An array as the pixels of a picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Samples {
    pub width: usize,
    pub height: usize,
    /// Whether it has colours; else the three numbers of each pixel are the same.
    pub coloured: bool,
    /// Red, green and blue of each pixel, row by row from the top, as the array has them. A fourth channel is left out.
    pub pixels: Vec<[f64; 3]>,
}

/// The pixels of an array that may be a picture.
pub fn samples(data: &HostData, shape: &[usize], leaf: &Leaf) -> Option<Samples> {
    let (height, width, count) = extent(shape, leaf).ok()?;
    let is_planar = shape.len() == 3 && channels(leaf) == Channels::First;
    let (pixel, channel) = if is_planar { (1, width * height) } else { (count, 1) };
    let sample = |p: usize, c: usize| {
        let c = if count < 3 { 0 } else { c };
        data.get(p * pixel + c * channel).map_or(0.0, |v| v.to_f64())
    };
    let pixels = (0..width * height).map(|p| [sample(p, 0), sample(p, 1), sample(p, 2)]).collect();
    Some(Samples { width, height, coloured: count >= 3, pixels })
}

/// The picture that an array is: the integers as they are, of floats what lies between 0 and 1, in 255 steps.
pub(super) fn of_array(data: &HostData, shape: &[usize], leaf: &Leaf) -> Result<Picture, Refusal> {
    let (height, width, count) = extent(shape, leaf)?;
    let is_planar = shape.len() == 3 && channels(leaf) == Channels::First;
    let (most, cells): (u16, Vec<u16>) = match data {
        HostData::U8(v) => (255, v.iter().map(|s| (*s).into()).collect()),
        HostData::U16(v) => (u16::MAX, v.clone()),
        _ => {
            // A NaN is black: `as` makes it 0.
            let sample =
                |i: usize| data.get(i).map_or(0.0, |v| v.to_f64().clamp(0.0, 1.0) * 255.0).round() as u16;
            (255, (0..data.len()).map(sample).collect())
        }
    };
    let samples = if is_planar && count > 1 {
        let pixel = |p: usize| cells.iter().skip(p).step_by((width * height).max(1)).copied();
        (0..width * height).flat_map(pixel).collect()
    } else {
        cells
    };
    Ok(Picture { width, height, channels: count, most, samples })
}

/// How many values a picture does not show as they are: what is no number, or lies so far outside of what it holds that its
/// sample would be another one.
pub(super) fn clipped(data: &HostData) -> usize {
    let is_clipped = |i: usize| {
        data.get(i).is_some_and(|v| v.elem().is_float() && !(-0.5..255.5).contains(&(v.to_f64() * 255.0)))
    };
    (0..data.len()).filter(|i| is_clipped(*i)).count()
}

pub(super) fn write_png(out: &mut dyn io::Write, picture: &Picture) -> io::Result<()> {
    let [width, height] = [picture.width, picture.height].map(|n| u32::try_from(n).unwrap_or(0));
    let mut encoder = png::Encoder::new(out, width, height);
    encoder.set_color(match picture.channels {
        1 => png::ColorType::Grayscale,
        2 => png::ColorType::GrayscaleAlpha,
        3 => png::ColorType::Rgb,
        _ => png::ColorType::Rgba,
    });
    encoder.set_depth(if picture.most > 255 { png::BitDepth::Sixteen } else { png::BitDepth::Eight });
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&picture.big_endian())?;
    Ok(writer.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(dims: &[Nat], scalar: Scalar) -> Leaf {
        Leaf { path: vec![], dims: dims.to_vec(), elem: Type::scalar(scalar) }
    }

    fn picture(channels: usize, most: u16) -> Picture {
        let samples = (0..6 * channels).map(|i| (i * 7 % 251) as u16).collect();
        Picture { width: 3, height: 2, channels, most, samples }
    }

    #[test]
    fn pictures_are_read_back() {
        for (channels, most) in [(1, 255), (2, 255), (3, 255), (4, 255), (1, u16::MAX), (3, u16::MAX)] {
            let one = picture(channels, most);
            let any = leaf(&[Nat::var("n"), Nat::var("m"), Nat::var("c")], Scalar::F32);
            let mut bytes = vec![];
            write_png(&mut bytes, &one).unwrap();
            let other = read_png(&bytes, &any).unwrap_or_else(|r| panic!("{}", r.why));
            assert_eq!((other.width, other.height, other.channels, other.most), (3, 2, channels, most));
            assert_eq!(other.samples, one.samples);
            for cut in [0, 7, 20, 40, bytes.len() - 13] {
                assert!(read_png(&bytes[..cut], &any).is_err(), "{cut}");
            }
        }
    }

    #[test]
    fn the_type_says_where_channels_lie() {
        let (n, m, three) = (Nat::var("n"), Nat::var("m"), Nat::constant(3));
        for dims in [[n.clone(), m.clone(), three.clone()], [three.clone(), n.clone(), m.clone()]] {
            for scalar in [Scalar::U8, Scalar::F32, Scalar::F64] {
                let leaf = leaf(&dims, scalar);
                let array = to_array(picture(3, 255), &leaf).unwrap_or_else(|r| panic!("{}", r.why));
                let shape = array.shape.unwrap();
                assert_eq!(shape, if dims[0] == three { [3, 2, 3] } else { [2, 3, 3] });
                if dims[0] == three && scalar == Scalar::U8 {
                    assert_eq!(
                        array.cells.get(1),
                        Some(crate::device::HostScalar::U8(21)),
                        "the second pixel's red"
                    );
                }
                let back = of_array(&array.cells, &shape, &leaf).unwrap_or_else(|r| panic!("{}", r.why));
                assert_eq!(back.samples, picture(3, 255).samples);
            }
        }
        let refused = |p: Picture, leaf: &Leaf| to_array(p, leaf).err().map(|r| r.code);
        assert_eq!(refused(picture(3, 255), &leaf(&[n.clone(), m.clone()], Scalar::F32)), Some("E0914"));
        assert_eq!(refused(picture(1, 255), &leaf(std::slice::from_ref(&n), Scalar::F32)), Some("E0914"));
        assert_eq!(refused(picture(1, u16::MAX), &leaf(&[n.clone(), m.clone()], Scalar::U8)), Some("E0913"));
        assert_eq!(refused(picture(1, 100), &leaf(&[n.clone(), m.clone()], Scalar::U8)), Some("E0913"));
        assert_eq!(refused(picture(1, 255), &leaf(&[n, m], Scalar::I32)), Some("E0913"));
    }

    #[test]
    fn channels_that_the_type_does_not_ask_for_are_named() {
        let (n, m, three) = (Nat::var("n"), Nat::var("m"), Nat::constant(3));
        let last = |scalar| leaf(&[n.clone(), m.clone(), three.clone()], scalar);
        let first = |scalar| leaf(&[three.clone(), n.clone(), m.clone()], scalar);
        let refused = |channels, most, leaf: &Leaf| {
            let r = check(channels, most, leaf).unwrap_err();
            format!("{}: {}. {}", r.code, r.why, r.hint.unwrap_or_default())
        };
        assert_eq!(
            refused(4, 255, &last(Scalar::U8)),
            "E0914: the picture is three colours and an alpha channel, which is no `n.m.3.u8`. \
             Take `n.m.4.u8` in the program, or save the picture as three colours without an alpha channel."
        );
        assert_eq!(
            refused(1, 255, &last(Scalar::U8)),
            "E0914: the picture is grey, which is no `n.m.3.u8`. \
             Take `n.m.u8` in the program, or save the picture as three colours without an alpha channel."
        );
        assert!(refused(4, 255, &first(Scalar::F32)).contains("Take `4.n.m.f32` in the program, or"));
        assert!(refused(1, u16::MAX, &first(Scalar::U16)).contains("Take `n.m.u16` in the program, or"));
        assert!(check(3, 255, &last(Scalar::U8)).is_ok() && check(3, 255, &first(Scalar::F32)).is_ok());
        // The elements are those that the samples have.
        let grey = leaf(&[n.clone(), m.clone()], Scalar::U16);
        let hint = "It fits `n.m.3.u16` or `3.n.m.u16`, and floats likewise.";
        assert!(refused(3, u16::MAX, &grey).ends_with(hint), "{}", refused(3, u16::MAX, &grey));
        let colours = refused(3, 255, &grey);
        assert!(colours.contains("`n.m.3.u8`"), "{colours}");
    }

    #[test]
    fn floats_beyond_the_picture_are_cut_off() {
        let leaf = leaf(&[Nat::var("n"), Nat::var("m")], Scalar::F32);
        let data = HostData::F32(vec![-1.0, 0.5, 2.0, f32::NAN]);
        let picture = of_array(&data, &[2, 2], &leaf).unwrap_or_else(|r| panic!("{}", r.why));
        assert_eq!(picture.samples, [0, 128, 255, 0]);
        assert_eq!(clipped(&data), 3);
        // What is rounded to a sample is shown.
        assert_eq!(clipped(&HostData::F32(vec![-0.001, 0.0, 1.0, 1.001])), 0);
        assert_eq!(clipped(&HostData::U8(vec![0, 255])), 0);
    }
}
