//! What came out of a study, as plain data: everything that is printed, written and drawn.

pub use chart::{AxisScale, Curve};
use timeline::Trace;

/// A study that has run: one paper.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyOutcome {
    /// The folder's name, such as `cosmos-plus`; also the folder that output goes to.
    pub name: String,
    /// What it is about, such as `Cosmos+ OpenSSD`.
    pub title: String,
    /// Authors, title, venue and year of the paper.
    pub paper: String,
    /// The paper's figures and tables from front to back, and what is done about each.
    pub exhibits: Vec<Exhibit>,
    /// Every parameter of the study's boards, in the boards' order and then the keys'.
    pub parameters: Vec<Parameter>,
    /// The experiments that ran, in the study's order.
    pub experiments: Vec<ExperimentOutcome>,
}

/// A figure or a table of a paper, and what is done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exhibit {
    /// What the paper calls it, such as `Figure`.
    pub kind: String,
    /// Its number in the paper, from 1.
    pub number: u32,
    /// What it shows.
    pub shows: String,
    /// What is done about it.
    pub treatment: Treatment,
    /// Experiments, columns of experiments, claims, summaries and pictures of the study that do it.
    pub by: Vec<String>,
    /// Files of the repository that do it, or tell of it.
    pub files: Vec<String>,
    /// What is missing, and why; empty where there is nothing to say.
    pub note: String,
}

/// What is done about a figure or a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// The study sets all that the paper tells of it beside what is measured here.
    Compared,
    /// The study does so for a part of it.
    ComparedInPart,
    /// It is compared, but not by a study.
    ComparedElsewhere,
    /// Its numbers are parameters of a board.
    Given,
    /// It measures nothing; what it shows is built here, or described.
    Described,
    /// Nothing.
    NotDone,
}

impl Treatment {
    /// All of them.
    pub const ALL: [Treatment; 6] = [
        Treatment::Compared,
        Treatment::ComparedInPart,
        Treatment::ComparedElsewhere,
        Treatment::Given,
        Treatment::Described,
        Treatment::NotDone,
    ];

    /// Its name, in files and for people.
    pub fn name(self) -> &'static str {
        match self {
            Treatment::Compared => "compared",
            Treatment::ComparedInPart => "compared in part",
            Treatment::ComparedElsewhere => "compared elsewhere",
            Treatment::Given => "given",
            Treatment::Described => "described",
            Treatment::NotDone => "not done",
        }
    }
}

/// One value of a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The board's name, such as `cosmos-plus`.
    pub board: String,
    /// The dotted key, such as `processor.clock_mhz`.
    pub key: String,
    /// The value as a board file writes it.
    pub value: String,
    /// `given`, `borrowed`, `measured`, `calibrated` or `assumed`.
    pub role: &'static str,
    /// Where the value comes from.
    pub source: String,
}

/// An experiment that has run: one table or figure of the paper.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentOutcome {
    /// Short name, unique in the study, such as `table7`.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// Where in the paper it stands, such as `section 6.4, Table 7`.
    pub place: String,
    /// Values, then claims, then summaries.
    pub rows: Vec<Row>,
    /// The figures that can be drawn of it.
    pub figures: Vec<Figure>,
    /// What channels and chips did when.
    pub timelines: Vec<Timeline>,
}

/// One comparison of what was published with what was measured here.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Unique in the study: `EXPERIMENT/COLUMN` and the conditions, or the name of a claim.
    pub id: String,
    /// Values: the axis values, such as `op read, outstanding 8`. Claims and summaries: what they say.
    pub conditions: String,
    /// How `measured` ought to stand to `published`.
    pub relation: Relation,
    /// What the paper says, in `unit`.
    pub published: f64,
    /// How else the paper's value can be told.
    pub forms: Forms,
    /// What came out here, in `unit`.
    pub measured: f64,
    /// Half of the interval in which 95 % of such means lie, in `unit`; none where there was one run.
    pub interval: Option<f64>,
    /// Unit of `published` and `measured`, such as `us`.
    pub unit: String,
    /// `Equals`: how far `measured` lies from `published`, in percent of it, with its sign; of a range, from its nearer end; of
    /// a value with a complement, the larger of both errors. Other
    /// relations: by how much they are missed, without a sign, and 0 where they hold.
    pub error_percent: f64,
    /// The largest absolute error that is `Within`; `None` where the row is not judged.
    pub tolerance_percent: Option<f64>,
    /// What kind of evidence the row is.
    pub evidence: Evidence,
    /// What the row tells of the model.
    pub role: Role,
    /// The verdict.
    pub status: Status,
    /// Why it differs, where someone found out.
    pub reason: Option<String>,
    /// What kind of statement it is.
    pub kind: RowKind,
    /// Of a claim that is made at several points, a row each: what it says at all of them. These
    /// rows follow each other, and their ids are alike up to the first `/`.
    pub said_of_each: Option<String>,
}

/// A published value that is off by more than this, in percent, is explained.
const FAR_PERCENT: f64 = 10.0;

/// Whether a row wants an explanation whatever its tolerance.
pub(crate) fn is_far_off(evidence: Evidence, error_percent: f64) -> bool {
    evidence == Evidence::Published && error_percent.abs() > FAR_PERCENT
}

/// Of 0, anything else is off by 100 %.
pub(crate) fn relative_error_percent(measured: f64, published: f64) -> f64 {
    match (measured - published, published) {
        (0.0, _) => 0.0,
        (difference, 0.0) => 100.0 * difference.signum(),
        (difference, _) => 100.0 * difference / published.abs(),
    }
}

impl Row {
    /// The error of the value as the paper tells it, in percent with its sign, whatever is said of its complement.
    pub fn error_as_told_percent(&self) -> f64 {
        match (self.relation, self.forms.complement_of) {
            (Relation::Equals, Some(_)) => {
                let published = self.forms.nearest(self.published, self.measured);
                relative_error_percent(self.measured, published)
            }
            _ => self.error_percent,
        }
    }
}

/// How else a published value can be told.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Forms {
    /// The upper end, where the paper gives a range.
    pub to: Option<f64>,
    /// What the complement is counted from: 100 for a share in percent, of which the rest can be told, 1 for a ratio, of which
    /// the gain can be told.
    pub complement_of: Option<f64>,
}

impl Forms {
    /// What is published, as far as it is nearest to a measured value.
    pub fn nearest(&self, published: f64, measured: f64) -> f64 {
        self.to.map_or(published, |to| measured.clamp(published, to))
    }

    /// The complements of what was published and measured.
    pub fn complements(&self, published: f64, measured: f64) -> Option<(f64, f64)> {
        let of = self.complement_of?;
        let sign = if published > of { -1.0 } else { 1.0 };
        Some((sign * (of - published), sign * (of - measured)))
    }
}

/// How a measured value ought to stand to the published one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The same, to within the tolerance.
    Equals,
    /// The same or less.
    AtMost,
    /// The same or more.
    AtLeast,
    /// More.
    Above,
    /// Less.
    Below,
}

/// What kind of evidence a row is. Only [`Evidence::Published`] rows make up a study's score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// A number that the paper gives, and that does not follow from its other numbers.
    Published,
    /// The paper says which of two values is larger, or how one grows, and gives no number.
    Ordering,
    /// A limit that the paper states or that its buses and chips set.
    Bound,
    /// Follows by arithmetic from other published numbers of the study.
    Derived,
    /// An aim of this project; the paper says nothing of it.
    Goal,
}

impl Evidence {
    /// All kinds, in the order in which they are counted.
    pub const ALL: [Evidence; 5] = [
        Evidence::Published,
        Evidence::Ordering,
        Evidence::Bound,
        Evidence::Derived,
        Evidence::Goal,
    ];
}

/// What a row tells of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Nothing: its value is a parameter of the board.
    Given,
    /// How well the parameters could be fitted: the calibration used it.
    Fitted,
    /// How well the model predicts.
    Predicted,
}

/// The verdict on a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The relation holds.
    Within,
    /// The relation does not hold.
    Outside,
    /// Not judged.
    Reported,
}

/// What kind of statement a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// One published value at one point.
    Value,
    /// A statement about several points.
    Claim,
    /// A statistic over the errors of other rows.
    Summary,
}

/// A figure, ready to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Unique in the study; also the name of its files.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// The horizontal axis.
    pub x: AxisScale,
    /// What the horizontal axis is.
    pub x_label: String,
    /// What the vertical axis is, with its unit.
    pub y_label: String,
    /// The curves, in the order of the axes that make them.
    pub curves: Vec<Curve>,
}

/// What channels and chips did when, for several settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// Unique in the study; also the name of its files.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// Each setting's name, and what was done with it.
    pub panels: Vec<(String, Trace)>,
}
