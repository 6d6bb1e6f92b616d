//! Products of matrices: the one place that calls the library for them.

use gemm_common::Parallelism;

/// A matrix in a slice, which may be read with its rows and columns exchanged.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'a> {
    values: &'a [f32],
    rows: usize,
    columns: usize,
    transposed: bool,
}

impl<'a> Matrix<'a> {
    /// The rows, of `columns` numbers each, stand one after another in `values`.
    pub(super) fn new(values: &'a [f32], columns: usize) -> Matrix<'a> {
        assert!(columns > 0 && values.len().is_multiple_of(columns), "rows are of {columns} numbers each");
        Matrix { values, rows: values.len() / columns, columns, transposed: false }
    }

    pub(super) fn transposed(self) -> Matrix<'a> {
        Matrix { rows: self.columns, columns: self.rows, transposed: !self.transposed, ..self }
    }

    /// How far apart neighbours are: in a row, and in a column.
    fn strides(self) -> (isize, isize) {
        if self.transposed { (self.rows.cast_signed(), 1) } else { (1, self.columns.cast_signed()) }
    }
}

/// What becomes of the numbers that a product is written to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Old {
    Forget,
    Add,
}

/// `left` times `right` into `product`, whose rows stand one after another.
pub(super) fn multiply(left: Matrix<'_>, right: Matrix<'_>, old: Old, product: &mut [f32]) {
    let (rows, inner, columns) = (left.rows, left.columns, right.columns);
    assert_eq!(inner, right.rows, "a row on the left is as long as a column on the right");
    assert_eq!(product.len(), rows * columns, "the product has its place");
    if inner == 0 && old == Old::Forget {
        product.fill(0.0);
    }
    if inner == 0 || product.is_empty() {
        return;
    }
    if rows == 1 && !left.transposed && !right.transposed {
        return multiply_row(left.values, right.values, old, product);
    }
    let (left_step, left_row) = left.strides();
    let (right_step, right_row) = right.strides();
    let width = columns.cast_signed();
    let (left, right) = (left.values.as_ptr(), right.values.as_ptr());
    // The kernel likes its product column by column, which ours is if all is transposed: the right matrix times the left one.
    let (high, wide, product_step, first, second) = if columns > 1 {
        (columns, rows, (width, 1), (right, right_row, right_step), (left, left_row, left_step))
    } else {
        (rows, columns, (1, width), (left, left_step, left_row), (right, right_step, right_row))
    };
    #[expect(unsafe_code, reason = "the library takes pointers")]
    // SAFETY: `Matrix::new` holds that a matrix's values are as many as its rows times its columns, and its strides reach no
    // further, exchanged or not. The product's length is checked above. It is borrowed alone, so that nothing overlaps with it.
    unsafe {
        gemm_f32::gemm::f32::get_gemm_fn()(
            high,
            wide,
            inner,
            product.as_mut_ptr(),
            product_step.0,
            product_step.1,
            old == Old::Add,
            first.0,
            first.1,
            first.2,
            second.0,
            second.1,
            second.2,
            1.0,
            1.0,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

/// One row times a matrix, which is read once and in order: three times as fast as the library.
fn multiply_row(row: &[f32], matrix: &[f32], old: Old, product: &mut [f32]) {
    /// Rows of the matrix that are added up before the product is touched again.
    const AT_ONCE: usize = 4;
    if old == Old::Forget {
        product.fill(0.0);
    }
    let columns = product.len();
    let (fours, rest) = row.as_chunks::<AT_ONCE>();
    let (matrix, last) = matrix.split_at(fours.len() * AT_ONCE * columns);
    for (&[a, b, c, d], rows) in fours.iter().zip(matrix.chunks_exact(AT_ONCE * columns)) {
        let (first, second) = rows.split_at(2 * columns);
        let (first, second) = (first.split_at(columns), second.split_at(columns));
        let first = first.0.iter().zip(first.1);
        let second = second.0.iter().zip(second.1);
        for ((sum, (one, two)), (three, four)) in product.iter_mut().zip(first).zip(second) {
            *sum += (a * one + b * two) + (c * three + d * four);
        }
    }
    for (factor, row) in rest.iter().zip(last.chunks_exact(columns)) {
        for (sum, value) in product.iter_mut().zip(row) {
            *sum += factor * value;
        }
    }
}

/// The same matrix with rows and columns exchanged, in its own place: a product that is asked for at every step is quicker when its
/// right side lies row by row.
pub(super) fn transpose(values: &[f32], columns: usize, into: &mut Vec<f32>) {
    /// Numbers that share a cache line.
    const TILE: usize = 16;
    let rows = values.len() / columns;
    into.resize(values.len(), 0.0);
    for first_row in (0..rows).step_by(TILE) {
        for first_column in (0..columns).step_by(TILE) {
            for column in first_column..columns.min(first_column + TILE) {
                for row in first_row..rows.min(first_row + TILE) {
                    into[column * rows + row] = values[row * columns + column];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize) -> Vec<f32> {
        (0..count).map(|place| ((place * 7 + 3) % 11) as f32 - 5.0).collect()
    }

    fn at(matrix: Matrix<'_>, row: usize, column: usize) -> f32 {
        let (step, down) = matrix.strides();
        matrix.values[row * down.unsigned_abs() + column * step.unsigned_abs()]
    }

    /// The fast product against the plain one, with every mixture of exchanged sides.
    #[test]
    fn products_are_those_of_the_textbook() {
        for (rows, inner, columns) in
            [(1, 1, 1), (1, 7, 5), (1, 8, 24), (3, 5, 7), (20, 16, 48), (33, 17, 35), (9, 6, 1), (4, 0, 3)]
        {
            let (left, right) = (numbers(rows * inner), numbers(inner * columns));
            for mixture in 0..4 {
                let a = Matrix { values: &left, rows, columns: inner, transposed: mixture & 1 != 0 };
                let b = Matrix { values: &right, rows: inner, columns, transposed: mixture & 2 != 0 };
                let mut product = vec![1.0; rows * columns];
                multiply(a, b, Old::Forget, &mut product);
                let sum = |row, column| (0..inner).map(|k| at(a, row, k) * at(b, k, column)).sum::<f32>();
                let want: Vec<f32> =
                    (0..rows * columns).map(|place| sum(place / columns, place % columns)).collect();
                assert_eq!(product, want);
                multiply(a, b, Old::Add, &mut product);
                assert_eq!(product, want.iter().map(|value| 2.0 * value).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    #[should_panic(expected = "the product has its place")]
    fn a_product_without_room_is_refused() {
        let values = numbers(4);
        multiply(Matrix::new(&values, 2), Matrix::new(&values, 2), Old::Forget, &mut [0.0; 3]);
    }

    #[test]
    fn transposed_twice_is_as_before() {
        let values = numbers(17 * 35);
        let (mut once, mut twice) = (Vec::new(), Vec::new());
        transpose(&values, 35, &mut once);
        transpose(&once, 17, &mut twice);
        assert_eq!(values, twice);
        assert_eq!(once[3 * 17 + 2].to_bits(), values[2 * 35 + 3].to_bits());
    }
}
