//! Linear equations with a positive definite matrix.

/// Solves `matrix * x = right` by Cholesky's method; none if the matrix, which is symmetric, is not
/// positive definite.
pub(crate) fn solve(matrix: &[Vec<f64>], right: &[f64]) -> Option<Vec<f64>> {
    let n = right.len();
    let mut lower = vec![vec![0.0; n]; n];
    for row in 0..n {
        for column in 0..=row {
            let dot: f64 = (0..column).map(|k| lower[row][k] * lower[column][k]).sum();
            let rest = matrix[row][column] - dot;
            lower[row][column] = if row > column {
                rest / lower[column][column]
            } else if rest > 0.0 {
                rest.sqrt()
            } else {
                return None;
            };
        }
    }
    let mut x = right.to_vec();
    for row in 0..n {
        let dot: f64 = (0..row).map(|k| lower[row][k] * x[k]).sum();
        x[row] = (x[row] - dot) / lower[row][row];
    }
    for row in (0..n).rev() {
        let dot: f64 = (row + 1..n).map(|k| lower[k][row] * x[k]).sum();
        x[row] = (x[row] - dot) / lower[row][row];
    }
    x.iter().all(|number| number.is_finite()).then_some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solution_worked_out_by_hand() {
        let matrix = vec![vec![4.0, 2.0, 0.0], vec![2.0, 5.0, 1.0], vec![0.0, 1.0, 3.0]];
        let x = solve(&matrix, &[8.0, 15.0, 11.0]).unwrap();
        for (found, expected) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - expected).abs() < 1e-12, "{x:?}");
        }
    }

    #[test]
    fn a_singular_matrix_has_no_solution() {
        assert_eq!(solve(&[vec![1.0, 1.0], vec![1.0, 1.0]], &[1.0, 2.0]), None);
        assert_eq!(solve(&[vec![0.0]], &[0.0]), None);
    }
}
