//! Weights of tenants as NVMe has them: three classes of queues, each with so many commands a round (NVMe 1.4
//! section 4.13.2 and 5.21.1.1).

use nvme::admin::Priority;
use nvme::feature::Setting;

use crate::job::JobSpec;

/// Most commands of a class in a round.
const MOST: u32 = 256;
/// The classes, the heaviest first.
const CLASSES: [Priority; 3] = [Priority::High, Priority::Medium, Priority::Low];

/// Which class each queue is in, and what each class gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    /// By queue, in the order of the tenants.
    pub priorities: Vec<Priority>,
    /// Commands a round of the classes of high, medium and low priority.
    pub commands: [u32; 3],
}

impl Classes {
    /// Classes for queues with these weights: those of equal weight share a class, which gets what all of them have a right
    /// to. None if there are more than three different weights, or a class would get more than 256 commands a round.
    pub fn of(weights: &[u32]) -> Option<Self> {
        let mut kinds = weights.to_vec();
        kinds.sort_unstable_by(|a, b| b.cmp(a));
        kinds.dedup();
        let class = |weight: u32| kinds.iter().position(|&kind| kind == weight);
        let mut commands = [0; 3];
        let mut priorities = Vec::new();
        for &weight in weights {
            let class = class(weight)?;
            *commands.get_mut(class)? += weight;
            priorities.push(CLASSES[class]);
        }
        let fits = commands.iter().all(|&commands| commands <= MOST) && !weights.contains(&0);
        // A class without queues gets the least that there is.
        fits.then(|| Classes { priorities, commands: commands.map(|commands| commands.max(1)) })
    }

    /// Those of the jobs; none if they have no weights.
    pub(crate) fn of_jobs(specs: &[JobSpec]) -> Option<Self> {
        let weight = |spec: &JobSpec| spec.load.trace()?.weight;
        let weights: Option<Vec<u32>> = specs.iter().map(weight).collect();
        Classes::of(&weights?)
    }

    /// The feature that sets them. One command at a time is fetched from a queue.
    pub fn setting(&self) -> Setting {
        let [high, medium, low] = self.commands.map(|commands| (commands - 1) as u8);
        Setting::Arbitration { burst: 0, low, medium, high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_of_equal_weight_share_a_class() {
        use Priority::{High, Low, Medium};
        let classes = |priorities: &[Priority], commands| {
            Some(Classes { priorities: priorities.to_vec(), commands })
        };
        let rows: [(&[u32], Option<Classes>); 7] = [
            (&[1], classes(&[High], [1, 1, 1])),
            (&[1, 8], classes(&[Medium, High], [8, 1, 1])),
            (&[4, 4, 1], classes(&[High, High, Medium], [8, 1, 1])),
            (&[1, 2, 3, 3], classes(&[Low, Medium, High, High], [6, 2, 1])),
            (&[1, 2, 3, 4], None),
            (&[200, 200], None),
            (&[0, 1], None),
        ];
        for (weights, expected) in rows {
            assert_eq!(Classes::of(weights), expected, "{weights:?}");
        }
        let classes = Classes::of(&[1, 256]).unwrap();
        let setting = Setting::Arbitration { burst: 0, low: 0, medium: 0, high: 255 };
        assert_eq!(classes.setting(), setting);
    }
}
