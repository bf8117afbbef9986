//! Eigenvalues and eigenvectors of a symmetric matrix, by Jacobi's rotations.

/// An eigenvalue with its vector, which has length 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Eigen {
    pub value: f64,
    pub vector: Vec<f64>,
}

/// Rounds over all elements beside the diagonal. Matrices of some ten rows need about six.
const ROUNDS: u32 = 60;

/// The eigenvalues of a symmetric matrix with their vectors, the smallest first. The largest component of each vector is positive.
pub(crate) fn eigen(matrix: &[Vec<f64>]) -> Vec<Eigen> {
    let n = matrix.len();
    let mut a = matrix.to_vec();
    let mut vectors: Vec<Vec<f64>> = (0..n).map(|row| unit(n, row)).collect();
    for _ in 0..ROUNDS {
        for row in 0..n {
            for column in row + 1..n {
                rotate(&mut a, &mut vectors, (row, column));
            }
        }
    }
    let mut all: Vec<Eigen> = (0..n)
        .map(|nth| {
            let vector: Vec<f64> = vectors.iter().map(|row| row[nth]).collect();
            let largest = vector.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()));
            let sign = largest.unwrap_or(1.0).signum();
            Eigen { value: a[nth][nth], vector: vector.iter().map(|v| v * sign).collect() }
        })
        .collect();
    all.sort_by(|a, b| a.value.total_cmp(&b.value));
    all
}

fn unit(n: usize, nth: usize) -> Vec<f64> {
    (0..n).map(|column| if column == nth { 1.0 } else { 0.0 }).collect()
}

/// Turns the plane of two axes so that their common element becomes zero.
fn rotate(a: &mut [Vec<f64>], vectors: &mut [Vec<f64>], (p, q): (usize, usize)) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let turn = |x: f64, y: f64| (c * x - s * y, s * x + c * y);
    for row in a.iter_mut() {
        (row[p], row[q]) = turn(row[p], row[q]);
    }
    let (above, below) = a.split_at_mut(q);
    for (x, y) in above[p].iter_mut().zip(&mut below[0]) {
        (*x, *y) = turn(*x, *y);
    }
    for row in vectors.iter_mut() {
        (row[p], row[q]) = turn(row[p], row[q]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_vectors_worked_out_by_hand() {
        let found = eigen(&[vec![2.0, 1.0], vec![1.0, 2.0]]);
        let half = 0.5_f64.sqrt();
        for (found, (value, vector)) in
            found.iter().zip([(1.0, [half, -half]), (3.0, [half, half])])
        {
            assert!((found.value - value).abs() < 1e-12, "{found:?}");
            let alike = |sign: f64| {
                found.vector.iter().zip(vector).all(|(a, b)| (a - sign * b).abs() < 1e-12)
            };
            assert!(alike(1.0) || alike(-1.0), "{found:?}");
        }
    }

    #[test]
    fn a_matrix_is_the_sum_over_its_eigenvectors() {
        let matrix = vec![
            vec![4.0, -2.0, 0.5, 0.0],
            vec![-2.0, 9.0, 1.0, 3.0],
            vec![0.5, 1.0, 1.0, -0.25],
            vec![0.0, 3.0, -0.25, 0.0],
        ];
        let all = eigen(&matrix);
        for (row, elements) in matrix.iter().enumerate() {
            for (column, element) in elements.iter().enumerate() {
                let sum: f64 = all.iter().map(|e| e.value * e.vector[row] * e.vector[column]).sum();
                assert!((sum - element).abs() < 1e-9, "{row} {column}: {sum}");
            }
        }
        assert!(all.windows(2).all(|pair| pair[0].value <= pair[1].value));
    }
}
