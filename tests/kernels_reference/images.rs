//! Stencils.

use super::{Expected, Given, Reference, floats, floats2, sum};

pub const ALL: [Reference; 14] = [
    Reference {
        kernel: "convolution",
        sizes: [&[("n", 1), ("m", 1)], &[("n", 7), ("m", 5)]],
        tolerance: 1e-5,
        compute: convolution,
    },
    Reference {
        kernel: "separableConvolution",
        sizes: [&[("n", 1), ("m", 1)], &[("n", 7), ("m", 5)]],
        tolerance: 1e-5,
        compute: separable_convolution,
    },
    Reference {
        kernel: "jacobi2d",
        sizes: [&[("n", 1), ("m", 1)], &[("n", 7), ("m", 5)]],
        tolerance: 1e-6,
        compute: jacobi2d,
    },
    Reference {
        kernel: "binomialFilter",
        sizes: [&[("n", 1), ("m", 1)], &[("n", 7), ("m", 5)]],
        tolerance: 1e-6,
        compute: binomial_filter,
    },
    Reference {
        kernel: "twoBlurs",
        sizes: [&[("n", 1), ("m", 1)], &[("n", 7), ("m", 5)]],
        tolerance: 1e-6,
        compute: two_blurs,
    },
    Reference {
        kernel: "unsharpMask",
        sizes: [&[("n", 1), ("m", 1)], &[("n", 7), ("m", 5)]],
        tolerance: 1e-6,
        compute: unsharp_mask,
    },
    Reference {
        kernel: "jacobi4",
        sizes: [&[("n", 1), ("m", 1)], &[("n", 7), ("m", 5)]],
        tolerance: 1e-5,
        compute: jacobi4,
    },
    Reference {
        kernel: "canny",
        sizes: [&[("n", 1), ("m", 1)], &[("n", 7), ("m", 5)]],
        tolerance: 1e-5,
        compute: canny,
    },
    Reference {
        kernel: "gaussianPyramid",
        sizes: [&[("n", 1), ("m", 1)], &[("n", 7), ("m", 5)]],
        tolerance: 1e-6,
        compute: gaussian_pyramid,
    },
    Reference {
        kernel: "localLaplacian",
        sizes: [&[("n", 1), ("m", 1)], &[("n", 5), ("m", 7)]],
        tolerance: 1e-5,
        compute: local_laplacian,
    },
    Reference {
        kernel: "demosaic",
        sizes: [&[("n", 1), ("m", 1)], &[("n", 7), ("m", 5)]],
        tolerance: 1e-6,
        compute: demosaic,
    },
    Reference {
        kernel: "harris",
        sizes: [&[("n", 1), ("m", 1)], &[("n", 7), ("m", 5)]],
        tolerance: 1e-4,
        compute: harris,
    },
    Reference {
        kernel: "harrisGrouped",
        sizes: [&[("n", 1), ("m", 1)], &[("n", 7), ("m", 5)]],
        tolerance: 1e-4,
        compute: harris_grouped,
    },
    Reference {
        kernel: "harrisPadded",
        sizes: [&[("h", 1), ("w", 5)], &[("h", 7), ("w", 11)]],
        tolerance: 1e-4,
        compute: harris_padded,
    },
];

/// The index `i + offset - 2` of a line of `n` pixels, or the end of the line that is nearest to it.
fn clamped(i: usize, offset: usize, n: usize) -> usize {
    (i + offset).saturating_sub(2).min(n - 1)
}

fn convolution(g: &Given) -> Vec<Expected> {
    let (weights, image) = (g.floats(0), g.floats(1));
    let (n, m) = (g.size("n"), g.size("m"));
    vec![floats2(n, m, |y, x| {
        sum(25, |i| weights[i] * image[clamped(y, i / 5, n) * m + clamped(x, i % 5, m)])
    })]
}

fn separable_convolution(g: &Given) -> Vec<Expected> {
    let (column, row, image) = (g.floats(0), g.floats(1), g.floats(2));
    let (n, m) = (g.size("n"), g.size("m"));
    // With the product of the weights in one go, which the program never forms.
    vec![floats2(n, m, |y, x| {
        sum(25, |i| column[i / 5] * row[i % 5] * image[clamped(y, i / 5, n) * m + clamped(x, i % 5, m)])
    })]
}

fn jacobi2d(g: &Given) -> Vec<Expected> {
    let (grid, (n, m)) = (g.floats(0), (g.size("n"), g.size("m")));
    let at = |y: usize, x: usize| grid[y * (m + 2) + x];
    vec![floats2(n, m, |y, x| {
        (at(y, x + 1) + at(y + 1, x) + at(y + 1, x + 1) + at(y + 1, x + 2) + at(y + 2, x + 1)) / 5.0
    })]
}

fn binomial_filter(g: &Given) -> Vec<Expected> {
    let (image, (n, m)) = (g.floats(0), (g.size("n"), g.size("m")));
    let binomial = [1.0, 2.0, 1.0];
    vec![floats2(n, m, |y, x| {
        sum(9, |i| binomial[i / 3] * binomial[i % 3] * image[(y + i / 3) * (m + 2) + x + i % 3]) / 16.0
    })]
}

fn two_blurs(g: &Given) -> Vec<Expected> {
    let (image, (n, m)) = (g.floats(0), (g.size("n"), g.size("m")));
    // Of the 25 pixels around a pixel, those in the middle are in as many of the nine means.
    let often = [1.0, 2.0, 3.0, 2.0, 1.0];
    vec![floats2(n, m, |y, x| {
        sum(25, |i| often[i / 5] * often[i % 5] * image[(y + i / 5) * (m + 4) + x + i % 5]) / 81.0
    })]
}

fn unsharp_mask(g: &Given) -> Vec<Expected> {
    let (amount, image, (n, m)) = (g.number(0), g.floats(1), (g.size("n"), g.size("m")));
    let binomial = [1.0, 2.0, 1.0];
    let at = |y: usize, x: usize| image[y * (m + 2) + x];
    vec![floats2(n, m, |y, x| {
        let blurred = sum(9, |i| binomial[i / 3] * binomial[i % 3] * at(y + i / 3, x + i % 3)) / 16.0;
        at(y + 1, x + 1) + amount * (at(y + 1, x + 1) - blurred)
    })]
}

fn jacobi4(g: &Given) -> Vec<Expected> {
    let (n, m) = (g.size("n"), g.size("m"));
    let mut grid = g.floats(0).to_vec();
    let (mut height, mut width) = (n + 8, m + 8);
    for _ in 0..4 {
        let at = |y: usize, x: usize| grid[y * width + x];
        let mean =
            |y: usize, x: usize| (at(y - 1, x) + at(y, x - 1) + at(y, x) + at(y, x + 1) + at(y + 1, x)) / 5.0;
        let inner = (1..height - 1).flat_map(|y| (1..width - 1).map(move |x| (y, x)));
        let next: Vec<f32> = inner.map(|(y, x)| mean(y, x)).collect();
        (grid, height, width) = (next, height - 2, width - 2);
    }
    vec![floats2(n, m, |y, x| grid[y * m + x])]
}

/// An image, row by row, and how many pixels a row has.
struct Image(Vec<f32>, usize);

impl Image {
    fn at(&self, y: usize, x: usize) -> f32 {
        self.0[y * self.1 + x]
    }

    /// `n` by `m` pixels.
    fn of(n: usize, m: usize, pixel: impl Fn(usize, usize) -> f32) -> Image {
        Image((0..n * m).map(|i| pixel(i / m, i % m)).collect(), m)
    }
}

fn canny(g: &Given) -> Vec<Expected> {
    let (n, m) = (g.size("n"), g.size("m"));
    let image = Image(g.floats(0).to_vec(), m + 6);
    let (smooth, change) = ([1.0, 2.0, 1.0], [-1.0, 0.0, 1.0]);
    let weighted = |of: &Image, column: [f32; 3], row: [f32; 3], y: usize, x: usize| {
        sum(9, |i| column[i / 3] * row[i % 3] * of.at(y + i / 3, x + i % 3))
    };
    let smoothed = Image::of(n + 4, m + 4, |y, x| weighted(&image, smooth, smooth, y, x) / 16.0);
    let dx = Image::of(n + 2, m + 2, |y, x| weighted(&smoothed, smooth, change, y, x));
    let dy = Image::of(n + 2, m + 2, |y, x| weighted(&smoothed, change, smooth, y, x));
    let steepness = |y: usize, x: usize| dx.at(y, x).powi(2) + dy.at(y, x).powi(2);
    vec![floats2(n, m, |y, x| {
        let (y, x) = (y + 1, x + 1);
        let (here, right, down) = (steepness(y, x), dx.at(y, x), dy.at(y, x));
        // How flat the slope is, of one to the axis, is that of half a right angle's half.
        let flat = (std::f64::consts::PI / 8.0).tan() as f32;
        let (one, other) = if down.abs() <= flat * right.abs() {
            (steepness(y, x - 1), steepness(y, x + 1))
        } else if right.abs() <= flat * down.abs() {
            (steepness(y - 1, x), steepness(y + 1, x))
        } else if right * down > 0.0 {
            (steepness(y - 1, x - 1), steepness(y + 1, x + 1))
        } else {
            (steepness(y - 1, x + 1), steepness(y + 1, x - 1))
        };
        if here < one || here < other { 0.0 } else { here }
    })]
}

fn harris_grouped(g: &Given) -> Vec<Expected> {
    let (n, m) = (g.size("n"), g.size("m"));
    let image = Image(g.floats(0).to_vec(), m + 4);
    let (smooth, change) = ([1.0, 2.0, 1.0], [-1.0, 0.0, 1.0]);
    let weighted = |of: &Image, column: [f32; 3], row: [f32; 3], y: usize, x: usize| {
        sum(9, |i| column[i / 3] * row[i % 3] * of.at(y + i / 3, x + i % 3))
    };
    let ix = Image::of(n + 2, m + 2, |y, x| weighted(&image, smooth, change, y, x));
    let iy = Image::of(n + 2, m + 2, |y, x| weighted(&image, change, smooth, y, x));
    let product = |a: &Image, b: &Image| Image::of(n + 2, m + 2, |y, x| a.at(y, x) * b.at(y, x));
    let [xx, xy, yy] = [product(&ix, &ix), product(&ix, &iy), product(&iy, &iy)];
    vec![floats2(n, m, |y, x| {
        let [xx, xy, yy] = [&xx, &xy, &yy].map(|of| weighted(of, smooth, smooth, y, x));
        xx * yy - xy * xy - 0.04 * (xx + yy) * (xx + yy)
    })]
}

/// A pixel of an image of half the height and width, smoothed.
fn halved(image: &Image, y: usize, x: usize) -> f32 {
    let binomial = [1.0, 4.0, 6.0, 4.0, 1.0];
    sum(25, |i| binomial[i / 5] * binomial[i % 5] * image.at(2 * y + i / 5, 2 * x + i % 5)) / 256.0
}

fn gaussian_pyramid(g: &Given) -> Vec<Expected> {
    let (n, m) = (g.size("n"), g.size("m"));
    let image = Image(g.floats(0).to_vec(), 4 * m + 9);
    let half = Image::of(2 * n + 3, 2 * m + 3, |y, x| halved(&image, y, x));
    vec![floats2(n, m, |y, x| halved(&half, y, x))]
}

fn local_laplacian(g: &Given) -> Vec<Expected> {
    let (n, m) = (g.size("n"), g.size("m"));
    let (amount, image) = (g.number(0), Image(g.floats(1).to_vec(), 2 * m + 5));
    let half = |of: &Image| Image::of(n + 1, m + 1, |y, x| halved(of, y, x));
    // What lies at a pixel, or half way to the next ones.
    let doubled = |of: &Image, y: usize, x: usize| {
        let corner = |dy, dx| of.at(y / 2 + dy * (y % 2), x / 2 + dx * (x % 2));
        (corner(0, 0) + corner(0, 1) + corner(1, 0) + corner(1, 1)) / 4.0
    };
    let remapped = |level: f32| {
        Image::of(2 * n + 5, 2 * m + 5, |y, x| {
            let change = image.at(y, x) - level;
            image.at(y, x) + amount * change / (1.0 + 25.0 * change * change)
        })
    };
    let levels = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(|level| {
        let fine = remapped(level);
        let coarse = half(&fine);
        (level, fine, coarse)
    });
    let base = half(&image);
    vec![floats2(2 * n, 2 * m, |y, x| {
        let here = image.at(y + 2, x + 2);
        let details = sum(4, |k| {
            let (level, fine, coarse) = &levels[k];
            (1.0 - 3.0 * (here - level).abs()).max(0.0) * (fine.at(y + 2, x + 2) - doubled(coarse, y, x))
        });
        doubled(&base, y, x) + details
    })]
}

fn demosaic(g: &Given) -> Vec<Expected> {
    let (n, m) = (2 * g.size("n"), 2 * g.size("m"));
    let raw = Image(g.floats(0).to_vec(), m + 6);
    let sensor = Image::of(n + 2, m + 2, |y, x| {
        let around = [(0, 2), (4, 2), (2, 0), (2, 4)].map(|(dy, dx)| raw.at(y + dy, x + dx));
        let (least, most) =
            (around.iter().copied().reduce(f32::min), around.iter().copied().reduce(f32::max));
        raw.at(y + 2, x + 2).clamp(least.unwrap(), most.unwrap())
    });
    // Of the sensor's pixels red is seen in odd lines and columns, blue in even ones, green elsewhere.
    let seen = |y: usize, x: usize| [[2, 1], [1, 0]][y % 2][x % 2];
    let pixel = |y: usize, x: usize, colour: usize| {
        let (y, x) = (y + 1, x + 1);
        if seen(y, x) == colour {
            return sensor.at(y, x);
        }
        let beside = [(0, 1), (2, 1), (1, 0), (1, 2), (0, 0), (0, 2), (2, 0), (2, 2)];
        let near: Vec<f32> = beside
            .into_iter()
            .map(|(dy, dx)| (y + dy - 1, x + dx - 1))
            .filter(|&(y, x)| seen(y, x) == colour)
            .map(|(y, x)| sensor.at(y, x))
            .collect();
        near.iter().sum::<f32>() / near.len() as f32
    };
    vec![floats(n * m * 3, |i| pixel(i / 3 / m, i / 3 % m, i % 3))]
}

fn harris(g: &Given) -> Vec<Expected> {
    let (n, m) = (g.size("n"), g.size("m"));
    let corners = corners(g.floats(0), n + 4, m + 4);
    vec![floats2(n, m, |y, x| corners[y * m + x])]
}

fn harris_padded(g: &Given) -> Vec<Expected> {
    let (h, w) = (g.size("h"), g.size("w"));
    let corners = corners(g.floats(0), h + 4, w);
    vec![floats2(h, w, |y, x| if x < w - 4 { corners[y * (w - 4) + x] } else { f32::NAN })]
}

/// The Harris corner detection of an image of three planes, each `height` by `width`; four less in each direction.
fn corners(rgb: &[f32], height: usize, width: usize) -> Vec<f32> {
    let plane = |c: usize, y: usize, x: usize| rgb[(c * height + y) * width + x];
    let gray = |y: usize, x: usize| 0.299 * plane(0, y, x) + 0.587 * plane(1, y, x) + 0.114 * plane(2, y, x);
    let smooth = [1.0, 2.0, 1.0];
    let change = [-1.0, 0.0, 1.0];
    let sobel = |vertical: [f32; 3], horizontal: [f32; 3], y: usize, x: usize| {
        sum(9, |i| vertical[i / 3] * horizontal[i % 3] * gray(y + i / 3, x + i % 3)) / 12.0
    };
    let ix = |y: usize, x: usize| sobel(smooth, change, y, x);
    let iy = |y: usize, x: usize| sobel(change, smooth, y, x);
    let mut out = vec![];
    for y in 0..height - 4 {
        for x in 0..width - 4 {
            let summed = |f: &dyn Fn(usize, usize) -> f32| sum(9, |i| f(y + i / 3, x + i % 3));
            let sxx = summed(&|y, x| ix(y, x) * ix(y, x));
            let sxy = summed(&|y, x| ix(y, x) * iy(y, x));
            let syy = summed(&|y, x| iy(y, x) * iy(y, x));
            let trace = sxx + syy;
            out.push(sxx * syy - sxy * sxy - 0.04 * trace * trace);
        }
    }
    out
}
