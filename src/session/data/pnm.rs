//! Portable grey and pixel maps (Netpbm's PGM and PPM, as text and as bytes).
//!
//! They are read here because the largest value of a sample matters: what reads pictures in general drops it.

use super::Refusal;
use super::picture::{MAX_SAMPLES, Picture};
use std::io;

pub(super) fn read(bytes: &[u8]) -> Result<Picture, Refusal> {
    let damaged = |why: &str| Refusal::new("E0912", why);
    let (magic, rest) = bytes.split_at_checked(2).unwrap_or_default();
    let (channels, is_text) = match magic {
        b"P2" => (1, true),
        b"P3" => (3, true),
        b"P5" => (1, false),
        b"P6" => (3, false),
        _ => {
            return Err(damaged("it is no portable grey or pixel map").hint(
                "Such pictures begin with P2, P3, P5 or P6; bitmaps (P1, P4) and others are not read.",
            ));
        }
    };
    let mut words = Words { rest };
    let mut next = || words.number().ok_or_else(|| damaged("its head is damaged"));
    let (width, height, most) = (next()?, next()?, next()?);
    if width == 0 || height == 0 || most == 0 || most > 65535 {
        return Err(damaged("its head names no picture"));
    }
    let count = width.checked_mul(height).and_then(|n| n.checked_mul(channels));
    let count = count.filter(|n| *n <= MAX_SAMPLES).ok_or_else(|| damaged("the picture is too large"))?;
    let cut = || damaged(&format!("it ends before its {width} by {height} pixels do"));
    let samples: Vec<u16> = if is_text {
        let mut samples = vec![];
        for _ in 0..count {
            if words.is_at_end() {
                return Err(cut());
            }
            let sample = words.number().and_then(|n| u16::try_from(n).ok());
            samples.push(sample.ok_or_else(|| damaged("a sample is no number, or too large"))?);
        }
        samples
    } else {
        // One byte of white space ends the head.
        let data = words.rest.split_first().filter(|(b, _)| b.is_ascii_whitespace()).map(|(_, data)| data);
        let data = data.ok_or_else(|| damaged("its head is damaged"))?;
        let size = if most > 255 { 2 } else { 1 };
        let data = data.get(..count * size).ok_or_else(cut)?;
        data.chunks_exact(size).map(|c| c.iter().fold(0, |n, b| n << 8 | u16::from(*b))).collect()
    };
    if samples.iter().any(|s| usize::from(*s) > most) {
        return Err(damaged(&format!("a sample is above {most}, the most that its head allows")));
    }
    Ok(Picture { width, height, channels, most: most as u16, samples })
}

/// Numbers between white space and comments.
struct Words<'a> {
    rest: &'a [u8],
}

impl Words<'_> {
    fn is_at_end(&self) -> bool {
        self.rest.iter().all(u8::is_ascii_whitespace)
    }

    fn number(&mut self) -> Option<usize> {
        loop {
            match self.rest.first()? {
                b'#' => {
                    let end = self.rest.iter().position(|b| *b == b'\n')?;
                    self.rest = self.rest.get(end..)?;
                }
                b if b.is_ascii_whitespace() => self.rest = self.rest.get(1..)?,
                _ => break,
            }
        }
        let end = self.rest.iter().position(|b| !b.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        std::str::from_utf8(digits).ok()?.parse().ok()
    }
}

pub(super) fn write(out: &mut dyn io::Write, picture: &Picture) -> io::Result<()> {
    let magic = if picture.channels == 1 { "P5" } else { "P6" };
    write!(out, "{magic}\n{} {}\n{}\n", picture.width, picture.height, picture.most)?;
    out.write_all(&picture.big_endian())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_and_comments() {
        let text =
            read(b"P2 # grey\n# two rows\n2 2\n100\n0 50\n100 1\n").unwrap_or_else(|r| panic!("{}", r.why));
        assert_eq!((text.width, text.height, text.most, text.samples), (2, 2, 100, vec![0, 50, 100, 1]));
        let bytes = read(b"P6 1 1 65535 \x01\x02\x00\x10\xff\xff").unwrap_or_else(|r| panic!("{}", r.why));
        assert_eq!((bytes.channels, bytes.samples), (3, vec![0x102, 0x10, 0xffff]));
        let mut again = vec![];
        let picture =
            Picture { width: 1, height: 1, channels: 3, most: 65535, samples: vec![0x102, 0x10, 0xffff] };
        write(&mut again, &picture).unwrap();
        assert_eq!(read(&again).unwrap_or_else(|r| panic!("{}", r.why)).samples, picture.samples);
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        for bad in [
            &b""[..],
            b"P",
            b"P4 1 1 \x00",
            b"P5",
            b"P5 2",
            b"P5 2 2 255",
            b"P5 2 2 255 abc",
            b"P5 0 2 255 ",
            b"P5 2 2 70000 abcdefgh",
            b"P5 99999999999999999999 1 255 ",
            b"P5 4294967296 4294967296 255 ",
            b"P2 1 1 9 10",
            b"P5 1 1 9 \xff",
            b"P5 #",
        ] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
    }
}
