//! Points, bodies, atoms and samples.

use super::{Expected, Given, Reference, floats, sum};

pub const ALL: [Reference; 5] = [
    Reference {
        kernel: "kMeans",
        sizes: [&[("n", 1), ("d", 1), ("k", 1)], &[("n", 13), ("d", 3), ("k", 5)]],
        tolerance: 0.0,
        compute: k_means,
    },
    Reference {
        kernel: "nearestNeighbour",
        sizes: [&[("n", 1)], &[("n", 37)]],
        tolerance: 1e-6,
        compute: nearest_neighbour,
    },
    Reference { kernel: "nBody", sizes: [&[("n", 1)], &[("n", 13)]], tolerance: 1e-4, compute: n_body },
    Reference {
        kernel: "molecularDynamics",
        sizes: [&[("n", 1), ("k", 3)], &[("n", 13), ("k", 5)]],
        tolerance: 1e-4,
        compute: molecular_dynamics,
    },
    // The sine and cosine of the C library and of this one differ in the last place.
    Reference {
        kernel: "mriQ",
        sizes: [&[("k", 1), ("n", 1)], &[("k", 7), ("n", 13)]],
        tolerance: 1e-5,
        compute: mri_q,
    },
];

fn k_means(g: &Given) -> Vec<Expected> {
    let (points, centres) = (g.floats(0), g.floats(1));
    let (d, k) = (g.size("d"), g.size("k"));
    let nearest = |i: usize| {
        let mut nearest = (f32::INFINITY, 0);
        for c in 0..k {
            let distance = sum(d, |j| (points[i * d + j] - centres[c * d + j]).powi(2));
            if distance < nearest.0 {
                nearest = (distance, c as i32);
            }
        }
        nearest.1
    };
    vec![Expected::Ints((0..g.size("n")).map(nearest).collect())]
}

fn nearest_neighbour(g: &Given) -> Vec<Expected> {
    let (here, places) = ((g.number(0), g.number(1)), (g.floats(2), g.floats(3)));
    vec![floats(g.size("n"), |i| (places.0[i] - here.0).hypot(places.1[i] - here.1))]
}

fn n_body(g: &Given) -> Vec<Expected> {
    let (softening, dt) = (g.number(0), g.number(1));
    let (masses, positions, velocities) = (g.floats(2), g.floats(3), g.floats(4));
    let n = g.size("n");
    let acceleration = |i: usize, axis: usize| {
        sum(n, |j| {
            let r = |axis: usize| positions[3 * j + axis] - positions[3 * i + axis];
            let distance = (sum(3, |axis| r(axis) * r(axis)) + softening * softening).sqrt();
            masses[j] / (distance * distance * distance) * r(axis)
        })
    };
    let position = |c: usize| positions[c] + velocities[c] * dt + 0.5 * acceleration(c / 3, c % 3) * dt * dt;
    let velocity = |c: usize| velocities[c] + acceleration(c / 3, c % 3) * dt;
    vec![floats(3 * n, position), floats(3 * n, velocity)]
}

fn molecular_dynamics(g: &Given) -> Vec<Expected> {
    let (cutoff, repulsion, attraction) = (g.number(0), g.number(1), g.number(2));
    let (atoms, neighbours) = (g.floats(3), g.ints(4));
    let (n, k) = (g.size("n"), g.size("k"));
    let force = |i: usize, axis: usize| {
        let mut force = 0.0;
        for other in &neighbours[i * k..(i + 1) * k] {
            let r = |axis: usize| atoms[3 * i + axis] - atoms[3 * *other as usize + axis];
            let distance2 = sum(3, |axis| r(axis) * r(axis));
            if distance2 > 0.0 && distance2 < cutoff * cutoff {
                let inverse6 = 1.0 / (distance2 * distance2 * distance2);
                force += r(axis) / distance2 * inverse6 * (repulsion * inverse6 - attraction);
            }
        }
        force
    };
    vec![floats(3 * n, |c| force(c / 3, c % 3))]
}

fn mri_q(g: &Given) -> Vec<Expected> {
    let k = g.size("k");
    let of_samples = |wave: fn(f32) -> f32, i: usize| {
        sum(k, |s| {
            let magnitude = g.floats(0)[s].powi(2) + g.floats(1)[s].powi(2);
            let phase = sum(3, |axis| g.floats(2 + axis)[s] * g.floats(5 + axis)[i]);
            magnitude * wave(std::f32::consts::TAU * phase)
        })
    };
    let n = g.size("n");
    vec![floats(n, |i| of_samples(f32::cos, i)), floats(n, |i| of_samples(f32::sin, i))]
}
