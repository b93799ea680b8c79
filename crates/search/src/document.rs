//! A skill as search sees it, and what is kept of it.

use model::{Facets, Origin, Scope, SkillId, Status};

use crate::Vector;
use crate::lexicon::{Field, Weighing, hash};
use crate::table::embed;

/// Text of a description behind this many bytes is not looked at.
const LONGEST_DESCRIPTION: usize = 8 << 10;
/// Text of a body behind this many bytes is not looked at.
const LONGEST_BODY: usize = 16 << 10;
/// Tags behind this many do not count for the meaning.
const MOST_TAGS: usize = 12;
/// Text of an example prompt behind this many bytes is not looked at.
const LONGEST_EXAMPLE: usize = 1 << 10;
/// Example prompts behind this many are not looked at.
const MOST_EXAMPLES: usize = 50;

/// A skill as search sees it.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// Its id.
    pub id: SkillId,
    /// Its name.
    pub name: &'a str,
    /// Its title.
    pub title: &'a str,
    /// What it does and when to use it.
    pub description: &'a str,
    /// Its tags.
    pub tags: &'a [String],
    /// Requests it can serve.
    pub examples: &'a [String],
    /// Its instructions.
    pub body: &'a str,
    /// Who can see it.
    pub scope: Scope,
    /// Where it stands.
    pub status: Status,
    /// Its switch.
    pub enabled: bool,
    /// Where it comes from.
    pub origin: Origin,
    /// What it can do.
    pub facets: Facets,
}

impl Document<'_> {
    /// The texts an embedder is asked for: the first is the skill's own, the others are its example prompts.
    pub fn texts(&self) -> Vec<String> {
        let mut own = self.heading();
        let tags = self.tags.iter().take(MOST_TAGS).map(String::as_str);
        for part in std::iter::once(start(self.description, LONGEST_DESCRIPTION)).chain(tags) {
            own.push_str(". ");
            own.push_str(part);
        }
        let examples = self.examples.iter().take(MOST_EXAMPLES);
        std::iter::once(own).chain(examples.map(|text| start(text, LONGEST_EXAMPLE).to_owned())).collect()
    }

    /// Name and title; most titles are the name written nicely, and then it counts once.
    fn heading(&self) -> String {
        if hash_of_words(self.name) == hash_of_words(self.title) {
            return self.title.to_owned();
        }
        format!("{} {}", self.name, self.title)
    }
}

fn hash_of_words(text: &str) -> u64 {
    hash(&crate::words::words(text).concat())
}

/// What a filter may ask about a skill.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Facts {
    pub(crate) status: Status,
    pub(crate) enabled: bool,
    pub(crate) origin: Origin,
    pub(crate) facets: Facets,
    pub(crate) tags: Box<[u64]>,
    pub(crate) name: u64,
}

impl Facts {
    pub(crate) fn is_usable(&self) -> bool {
        self.status == Status::Active && self.enabled
    }
}

/// A skill, ready to be put into an index: all the work is done, and none of its text is left.
#[derive(Debug, Clone)]
pub struct Prepared {
    pub(crate) id: SkillId,
    pub(crate) scope: Scope,
    pub(crate) facts: Facts,
    /// By hash.
    pub(crate) terms: Vec<(u32, Weight)>,
    pub(crate) vectors: Vectors,
}

/// How much a term weighs in a skill, 0 to 1, and the fields it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Weight(u16);

impl Weight {
    const STEPS: f32 = 2047.0;

    pub(crate) fn new(weight: f32, fields: u8) -> Self {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 2047
        let steps = (weight.clamp(0.0, 1.0) * Self::STEPS).round() as u16;
        Self(steps << 5 | u16::from(fields & 0x1f))
    }

    pub(crate) fn weight(self) -> f32 {
        f32::from(self.0 >> 5) * (1.0 / Self::STEPS)
    }

    pub(crate) fn fields(self) -> impl Iterator<Item = Field> {
        Field::ALL.into_iter().filter(move |field| self.0 & u16::from(field.bit()) != 0)
    }
}

/// What an embedder made of a skill's texts.
#[derive(Debug, Clone, Default)]
pub struct Vectors {
    /// Of the skill's own text.
    pub own: Option<Vector>,
    /// Of example prompts, each with its place among them.
    pub examples: Vec<(u16, Vector)>,
}

impl Vectors {
    /// From the vectors of [`Document::texts`], in order.
    pub fn new(vectors: impl IntoIterator<Item = Option<Vector>>) -> Self {
        let mut vectors = vectors.into_iter();
        let own = vectors.next().flatten();
        let examples = (0..).zip(vectors).filter_map(|(place, vector)| Some((place, vector?))).collect();
        Self { own, examples }
    }

    pub(crate) fn dimensions(&self) -> Option<usize> {
        self.own.iter().chain(self.examples.iter().map(|(_, vector)| vector)).map(Vector::dimensions).next()
    }
}

impl Prepared {
    /// Does the work that does not depend on any index.
    pub fn new(document: &Document<'_>) -> Self {
        let mut weighing = Weighing::default();
        weighing.add(Field::Name, &document.heading());
        weighing.add(Field::Description, start(document.description, LONGEST_DESCRIPTION));
        for tag in document.tags {
            weighing.add(Field::Tags, tag);
        }
        for example in document.examples.iter().take(MOST_EXAMPLES) {
            weighing.add(Field::Examples, start(example, LONGEST_EXAMPLE));
        }
        weighing.add(Field::Body, start(document.body, LONGEST_BODY));
        Self {
            id: document.id,
            scope: document.scope,
            facts: Facts {
                status: document.status,
                enabled: document.enabled,
                origin: document.origin,
                facets: document.facets,
                tags: document.tags.iter().map(|tag| hash(tag)).collect(),
                name: hash(document.name),
            },
            terms: weighing.finish(),
            vectors: Vectors::new(document.texts().iter().map(|text| embed(text))),
        }
    }

    /// The skill.
    pub fn id(&self) -> SkillId {
        self.id
    }
}

/// The start of a text, at most so many bytes of whole characters.
fn start(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}
