//! The points of a sweep by number: the product of all lists, then the points that are listed, each with every seed.

/// A key and the values that it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    pub key: String,
    pub values: Vec<String>,
}

/// All points.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    /// Every key that some point has: those of the product by name, then those that only listed points have.
    pub keys: Vec<String>,
    axes: Vec<Axis>,
    /// Values by key; `None` where the point leaves a key alone.
    listed: Vec<Vec<Option<String>>>,
    seeds: Vec<u64>,
}

/// A point: a value for each key, and a seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Number of the point in the sweep, from 0.
    pub number: u64,
    /// Number of the point without its seed: equal for points that differ in the seed alone.
    pub setup: u64,
    /// In the order of [`crate::Sweep::keys`]; `None` where the point leaves a key alone.
    pub values: Vec<Option<String>>,
    /// Seed of every random stream.
    pub seed: u64,
}

impl Grid {
    /// Without axes there is no product: the points are those that are listed, or a single one if none is.
    pub fn new(axes: Vec<Axis>, listed: Vec<Vec<(String, String)>>, seeds: Vec<u64>) -> Grid {
        let mut keys: Vec<String> = axes.iter().map(|axis| axis.key.clone()).collect();
        for (key, _) in listed.iter().flatten() {
            if !keys.contains(key) {
                keys.push(key.clone());
            }
        }
        let of = |point: &Vec<(String, String)>, key: &String| {
            point.iter().find(|(own, _)| own == key).map(|(_, value)| value.clone())
        };
        let listed = listed.iter().map(|point| keys.iter().map(|key| of(point, key)).collect());
        Grid { listed: listed.collect(), keys, axes, seeds }
    }

    /// Every value that some point has for a key.
    pub fn values(&self, nth: usize) -> impl Iterator<Item = &str> {
        let of_axis = self.axes.get(nth).into_iter().flat_map(|axis| &axis.values);
        let listed = self.listed.iter().filter_map(move |point| point[nth].as_ref());
        of_axis.chain(listed).map(String::as_str)
    }

    /// Points of the product.
    fn product(&self) -> Option<u64> {
        if self.axes.is_empty() && !self.listed.is_empty() {
            return Some(0);
        }
        self.axes.iter().try_fold(1_u64, |count, axis| count.checked_mul(axis.values.len() as u64))
    }

    /// All points; `None` if they cannot be counted.
    pub fn checked_points(&self) -> Option<u64> {
        let setups = self.product()?.checked_add(self.listed.len() as u64)?;
        setups.checked_mul(self.seeds.len() as u64)
    }

    /// All points.
    pub fn points(&self) -> u64 {
        self.checked_points().expect("it was checked when the file was read")
    }

    /// Points that together have every key: the first of the product, and each that is listed, with the first seed.
    pub fn with_each_key(&self) -> impl Iterator<Item = u64> + '_ {
        let product = self.product().expect("it was checked when the file was read");
        let setups = (product > 0).then_some(0).into_iter();
        let setups = setups.chain(product..product + self.listed.len() as u64);
        setups.map(|setup| setup * self.seeds.len() as u64)
    }

    /// A number that points have in common whose drives are the same before their jobs begin. Points that are listed may
    /// differ in it though their drives are the same.
    pub fn drive(&self, number: u64) -> u64 {
        let seeds = self.seeds.len() as u64;
        let (setup, seed) = (number / seeds, number % seeds);
        let product = self.product().expect("it was checked when the file was read");
        let drive = match setup.checked_sub(product) {
            Some(_) => setup,
            None => {
                let (mut left, mut drive, mut drives) = (setup, 0, 1);
                for Axis { key, values } in self.axes.iter().rev() {
                    let count = values.len() as u64;
                    if is_of_drive(key) {
                        drive += left % count * drives;
                        drives *= count;
                    }
                    left /= count;
                }
                drive
            }
        };
        drive * seeds + seed
    }

    /// A point. Seeds vary fastest, then the last key.
    pub fn point(&self, number: u64) -> Point {
        let seeds = self.seeds.len() as u64;
        let (setup, seed) = (number / seeds, self.seeds[(number % seeds) as usize]);
        let product = self.product().expect("it was checked when the file was read");
        let values = match setup.checked_sub(product) {
            Some(nth) => self.listed[nth as usize].clone(),
            None => {
                let mut values = vec![None; self.keys.len()];
                let mut left = setup;
                for (axis, value) in self.axes.iter().zip(&mut values).rev() {
                    let count = axis.values.len() as u64;
                    *value = Some(axis.values[(left % count) as usize].clone());
                    left /= count;
                }
                values
            }
        };
        Point { number, setup, values, seed }
    }
}

/// Whether a key says something of the drive, and not of its load.
pub(crate) fn is_of_drive(key: &str) -> bool {
    matches!(key, "board" | "precondition") || key.contains('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_the_product_and_then_what_is_listed_with_every_seed() {
        let axis = |key: &str, values: &[&str]| Axis {
            key: key.to_owned(),
            values: values.iter().map(|value| value.to_string()).collect(),
        };
        let one = vec![("c".to_owned(), "9".to_owned()), ("a".to_owned(), "7".to_owned())];
        let grid = Grid::new(
            vec![axis("a", &["1", "2"]), axis("b", &["x", "y", "z"])],
            vec![one],
            vec![4, 5],
        );
        assert_eq!((grid.points(), grid.keys.join("")), (14, "abc".to_owned()));
        let shown = |number| {
            let Point { setup, values, seed, .. } = grid.point(number);
            let values: Vec<String> =
                values.into_iter().map(|value| value.unwrap_or_default()).collect();
            format!("{setup} {} {seed}", values.join(","))
        };
        assert_eq!([0, 1, 2, 6].map(shown), ["0 1,x, 4", "0 1,x, 5", "1 1,y, 4", "3 2,x, 4"]);
        assert_eq!([11, 12, 13].map(shown), ["5 2,z, 5", "6 7,,9 4", "6 7,,9 5"]);
        // Seeds apart, and nothing else that a drive has: a and b are of the load.
        assert_eq!((grid.drive(0), grid.drive(6), grid.drive(7)), (0, 0, 1));
        assert!(grid.drive(12) > 1 && grid.drive(13) != grid.drive(12));
        let mixed = Grid::new(
            vec![axis("board", &["s", "t"]), axis("bs", &["1", "2"]), axis("ftl.x", &["3", "4"])],
            vec![],
            vec![1],
        );
        let drives: Vec<u64> = (0..8).map(|point| mixed.drive(point)).collect();
        assert_eq!(drives, [0, 1, 0, 1, 2, 3, 2, 3]);
        let single = Grid::new(vec![], vec![], vec![1]);
        assert_eq!((single.points(), single.point(0).values), (1, vec![]));
    }
}
