//! Pairs of texts that say how another embedder's cosines compare with the built-in ones.
//!
//! The texts look like what is compared in a search: a request, and a skill's title with its description.
//! They are ours; none was fitted to a model.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::{EmbedError, Embedder, Scale, Vector};

/// Below this correlation two embedders do not see the same things as near.
const LEAST_CORRELATION: f32 = 0.4;
/// How far apart in the list the subjects of a pair without relation stand.
const FAR: usize = 17;

/// A request, a skill that serves it, and one that only has to do with it.
struct Subject {
    asked: &'static str,
    meant: &'static str,
    near: &'static str,
}

/// Pairs of a request and a skill: related, half related and unrelated in turn.
pub fn probes() -> &'static [(&'static str, &'static str)] {
    static PAIRS: OnceLock<Vec<(&'static str, &'static str)>> = OnceLock::new();
    PAIRS.get_or_init(|| {
        let others = SUBJECTS.iter().cycle().skip(FAR);
        let pairs = SUBJECTS.iter().zip(others).flat_map(|(subject, other)| {
            [(subject.asked, subject.meant), (subject.asked, subject.near), (subject.asked, other.meant)]
        });
        pairs.collect()
    })
}

/// How to read an embedder's cosines: asks it for all probes, and compares them with the built-in table's.
pub async fn scale_of(embedder: &dyn Embedder) -> Result<Scale, EmbedError> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut texts: Vec<String> = Vec::new();
    for text in probes().iter().flat_map(|(asked, skill)| [*asked, *skill]) {
        places.entry(text).or_insert_with(|| {
            texts.push(text.to_owned());
            texts.len() - 1
        });
    }
    let vectors = embedder.embed(&texts).await?;
    if vectors.len() != texts.len() {
        let (got, sent) = (vectors.len(), texts.len());
        return Err(EmbedError::Unusable(format!("it gave {got} vectors for {sent} texts")));
    }
    let theirs = |text: &str| -> Option<&Vector> { vectors.get(*places.get(text)?) };
    let pairs = probes().iter().filter_map(|(asked, skill)| {
        let ours = crate::embed(asked)?.cosine(&crate::embed(skill)?);
        Some((theirs(asked)?.cosine(theirs(skill)?), ours))
    });
    let pairs: Vec<(f32, f32)> = pairs.collect();
    let scale = Scale::fit(&pairs).filter(|_| correlation(&pairs) >= LEAST_CORRELATION);
    scale.ok_or_else(|| {
        EmbedError::Unusable(format!(
            "what `{}` takes for near has too little to do with what the built-in table takes for near, so its \
             similarities would mean nothing; check that it is a model that embeds texts for search",
            embedder.name()
        ))
    })
}

/// From -1 to 1: whether two numbers go up and down together.
fn correlation(pairs: &[(f32, f32)]) -> f32 {
    #[allow(clippy::cast_precision_loss)] // about a hundred
    let count = pairs.len() as f32;
    let left = pairs.iter().map(|pair| pair.0).sum::<f32>() / count;
    let right = pairs.iter().map(|pair| pair.1).sum::<f32>() / count;
    let sum = |product: &dyn Fn(f32, f32) -> f32| -> f32 {
        pairs.iter().map(|pair| product(pair.0 - left, pair.1 - right)).sum()
    };
    sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt()
}

const SUBJECTS: &[Subject] = &[
    Subject {
        asked: "what do I pay each month on a 30 year mortgage",
        meant: "Loan payments. Works out the monthly instalment and the total interest of a loan or mortgage",
        near: "Exchange rates. Converts amounts of money between currencies at today's rate",
    },
    Subject {
        asked: "make these product photos smaller for the web shop",
        meant: "Image resizing. Shrinks and compresses pictures to given sizes for web pages",
        near: "Photo captions. Writes a short description of what a picture shows",
    },
    Subject {
        asked: "turn this spreadsheet into json",
        meant: "CSV to JSON. Reads tables from CSV or Excel files and writes them as JSON records",
        near: "Spreadsheet charts. Draws bar and line charts from the columns of an Excel sheet",
    },
    Subject {
        asked: "why is my postgres query so slow",
        meant: "Query tuning. Reads the plan of a slow SQL query and proposes indexes",
        near: "Database backups. Dumps a PostgreSQL database every night and checks that it can be restored",
    },
    Subject {
        asked: "write release notes from the git log",
        meant: "Changelog writer. Collects commits since the last tag and groups them into release notes",
        near: "Branch cleaner. Finds git branches that were merged long ago and deletes them",
    },
    Subject {
        asked: "translate the manual into Spanish",
        meant: "Document translation. Translates long texts between languages and keeps their formatting",
        near: "Language detection. Says in which language a text is written",
    },
    Subject {
        asked: "find a train from Vienna to Prague tomorrow morning",
        meant: "Railway timetable. Looks up train connections between two stations with changes and prices",
        near: "Hotel finder. Lists rooms near a station or an airport for given nights",
    },
    Subject {
        asked: "is it going to rain this weekend",
        meant: "Weather forecast. Gives temperature, wind and chance of rain for a place and the coming days",
        near: "Sunrise and sunset. Computes when the sun rises and sets at a place",
    },
    Subject {
        asked: "summarise this meeting recording",
        meant: "Meeting minutes. Transcribes a recorded meeting and lists decisions and tasks",
        near: "Calendar invitations. Finds a free hour for several people and sends an invitation",
    },
    Subject {
        asked: "get the text out of a scanned pdf",
        meant: "OCR. Recognises the text in scanned pages and image-only PDF files",
        near: "PDF merging. Joins several PDF files into one and numbers the pages",
    },
    Subject {
        asked: "are there known vulnerabilities in our npm packages",
        meant: "Dependency audit. Checks the packages of a project against lists of known security holes",
        near: "Package publishing. Builds a JavaScript library and uploads it to the npm registry",
    },
    Subject {
        asked: "draft a polite reminder for an unpaid invoice",
        meant: "Payment reminders. Writes friendly letters to customers whose invoices are overdue",
        near: "Invoice maker. Creates an invoice with tax from a list of delivered goods",
    },
    Subject {
        asked: "recipe with chickpeas and spinach",
        meant: "Recipe search. Suggests dishes for the ingredients that are in the kitchen",
        near: "Nutrition table. Gives calories, protein and vitamins of foods",
    },
    Subject {
        asked: "train plan for my first marathon",
        meant: "Running coach. Makes a weekly schedule that prepares a runner for a race",
        near: "Heart rate zones. Computes training zones from age and resting pulse",
    },
    Subject {
        asked: "solve this system of linear equations",
        meant: "Linear algebra. Solves systems of equations, inverts matrices and finds eigenvalues",
        near: "Function plots. Draws the graph of a mathematical function over an interval",
    },
    Subject {
        asked: "unit tests for this python function",
        meant: "Test writer. Writes pytest cases for Python code, edge cases included",
        near: "Python formatter. Lays out Python code by the usual style and sorts imports",
    },
    Subject {
        asked: "deploy the container to kubernetes",
        meant: "Kubernetes rollout. Applies manifests to a cluster and waits until the new pods are ready",
        near: "Dockerfile review. Points out what makes a container image large or unsafe",
    },
    Subject {
        asked: "which customers are likely to cancel",
        meant: "Churn prediction. Scores subscribers by how likely they are to leave next month",
        near: "Customer segments. Groups buyers by what and how often they purchase",
    },
    Subject {
        asked: "check the lease for unusual clauses",
        meant: "Contract review. Marks risky and uncommon terms in rental and other agreements",
        near: "Legal glossary. Explains words of the law in plain language",
    },
    Subject {
        asked: "balance the chemical equation for burning propane",
        meant: "Reaction balancer. Finds the coefficients that balance a chemical reaction",
        near: "Periodic table. Gives mass, radius and electron configuration of an element",
    },
    Subject {
        asked: "generate a strong password",
        meant: "Password generator. Makes long random passwords and passphrases",
        near: "Login audit. Lists failed sign-ins and accounts without a second factor",
    },
    Subject {
        asked: "post about our new product for LinkedIn",
        meant: "Social media posts. Writes announcements for LinkedIn and other networks in the company's voice",
        near: "Campaign report. Sums up clicks, views and cost of online advertising",
    },
    Subject {
        asked: "remove background noise from a podcast",
        meant: "Audio cleanup. Filters hum, hiss and noise out of voice recordings",
        near: "Music tagging. Fills in artist, album and year of songs",
    },
    Subject {
        asked: "cut the first ten seconds of a video",
        meant: "Video trimming. Cuts clips out of films and joins them without encoding anew",
        near: "Subtitles. Writes a subtitle file for the speech in a video",
    },
    Subject {
        asked: "explain this regular expression",
        meant: "Regex helper. Says step by step what a regular expression matches and tests it on examples",
        near: "Log search. Finds lines in log files by pattern and time",
    },
    Subject {
        asked: "screen these resumes for the nurse position",
        meant: "Applicant screening. Compares CVs with the demands of a job and ranks the candidates",
        near: "Job advertisements. Writes an advertisement for an open position",
    },
    Subject {
        asked: "when should I water and prune my tomatoes",
        meant: "Garden calendar. Says when vegetables are sown, watered, pruned and harvested",
        near: "Plant identification. Names a plant from a picture of its leaves",
    },
    Subject {
        asked: "lesson plan about the French revolution for ninth grade",
        meant: "Lesson planner. Prepares history and other lessons with aims, tasks and homework",
        near: "Quiz maker. Makes multiple choice questions from a chapter of a textbook",
    },
    Subject {
        asked: "symptoms of low iron",
        meant: "Health information. Explains symptoms, causes and treatment of common conditions",
        near: "Pill reminder. Keeps the times at which medicines must be taken",
    },
    Subject {
        asked: "how did the stock market close",
        meant: "Market data. Gives prices and changes of shares and indexes at the end of the day",
        near: "Portfolio tax. Works out the tax on gains from shares that were sold",
    },
    Subject {
        asked: "draw a flowchart of the order process",
        meant: "Diagrams. Makes flowcharts and sequence diagrams from a description of a process",
        near: "Slide maker. Builds a presentation from an outline",
    },
    Subject {
        asked: "sort my inbox and flag what is urgent",
        meant: "Email triage. Sorts incoming mail by importance and drafts answers",
        near: "Newsletter builder. Lays out an email for many subscribers and sends it",
    },
    Subject {
        asked: "distance between two coordinates",
        meant: "Geography calculator. Computes distance and bearing between points of latitude and longitude",
        near: "Map tiles. Draws a street map of an area as a picture",
    },
    Subject {
        asked: "monitor the website and tell me when it is down",
        meant: "Uptime check. Calls web pages every minute and sends an alert when one does not answer",
        near: "Page speed. Measures how fast a web site loads and what slows it",
    },
    Subject {
        asked: "forecast how much stock the warehouse needs in December",
        meant: "Demand forecast. Predicts sales by product and month and proposes what to order",
        near: "Barcode labels. Prints labels for shelves and parcels",
    },
    Subject {
        asked: "convert miles to kilometres",
        meant: "Unit conversion. Converts lengths, weights, temperatures and other units",
        near: "Fuel costs. Estimates what the petrol for a journey costs",
    },
    Subject {
        asked: "find papers about protein folding",
        meant: "Literature search. Searches scientific articles and lists them with their abstracts",
        near: "Citation formatter. Writes references in the style a journal asks for",
    },
    Subject {
        asked: "rewrite this paragraph so that it is easier to read",
        meant: "Plain language. Simplifies difficult texts without losing their meaning",
        near: "Spell check. Corrects spelling and grammar",
    },
    Subject {
        asked: "anonymise patient names in the dataset",
        meant: "Data masking. Replaces names, addresses and other personal data in tables by placeholders",
        near: "Missing values. Finds and fills gaps in a table of measurements",
    },
    Subject {
        asked: "book a table for four on friday evening",
        meant: "Restaurant reservations. Finds a free table and books it for a number of guests",
        near: "Tip calculator. Splits a bill among guests and adds the tip",
    },
];

#[cfg(test)]
mod tests {
    use async_trait::async_trait;

    use super::*;

    /// The built-in vectors, turned, shortened, and all pushed the same way.
    struct Pushed {
        length: f32,
        push: f32,
    }

    #[async_trait]
    impl Embedder for Pushed {
        fn name(&self) -> &'static str {
            "pushed"
        }

        async fn embed(&self, texts: &[String]) -> Result<Vec<Vector>, EmbedError> {
            Ok(texts.iter().map(|text| self.one(text)).collect())
        }
    }

    impl Pushed {
        fn one(&self, text: &str) -> Vector {
            let bytes = crate::embed(text).map(|vector| vector.to_bytes()).unwrap_or_default();
            let mut numbers: Vec<f32> = bytes.iter().map(|byte| f32::from(byte.cast_signed())).collect();
            let norm = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
            for number in &mut numbers {
                *number *= self.length / norm;
            }
            numbers.rotate_left(7);
            // A turn in each plane of two neighbours.
            for pair in numbers.as_chunks_mut::<2>().0 {
                *pair = [pair[0] * 0.6 - pair[1] * 0.8, pair[0] * 0.8 + pair[1] * 0.6];
            }
            // Over many numbers, so that a step of one byte stays small.
            numbers.extend([self.push / 8.0; 64]);
            Vector::new(&numbers).unwrap()
        }
    }

    /// Says something about every text that has nothing to do with it.
    struct Nonsense;

    #[async_trait]
    impl Embedder for Nonsense {
        fn name(&self) -> &'static str {
            "nonsense"
        }

        async fn embed(&self, texts: &[String]) -> Result<Vec<Vector>, EmbedError> {
            let numbers = |place: u16| -> Vec<f32> {
                let mixed = |number: u32| (u32::from(place) * (7919 + number * 31) + number * 104_729) % 97;
                (0..32).map(|number| f32::from(u8::try_from(mixed(number)).unwrap()) - 48.0).collect()
            };
            Ok((0..).zip(texts).map(|(place, _)| Vector::new(&numbers(place)).unwrap()).collect())
        }
    }

    /// Forgets the last text.
    struct Forgetful;

    #[async_trait]
    impl Embedder for Forgetful {
        fn name(&self) -> &'static str {
            "forgetful"
        }

        async fn embed(&self, texts: &[String]) -> Result<Vec<Vector>, EmbedError> {
            Ok(vec![Vector::new(&[1.0]).unwrap(); texts.len() - 1])
        }
    }

    fn ours(pair: (&str, &str)) -> f32 {
        crate::embed(pair.0).unwrap().cosine(&crate::embed(pair.1).unwrap())
    }

    #[test]
    fn probes_go_from_far_to_near() {
        let mean = |kind: usize| {
            let cosines: Vec<f32> = probes().iter().skip(kind).step_by(3).map(|pair| ours(*pair)).collect();
            cosines.iter().sum::<f32>() / 40.0
        };
        let (related, half, unrelated) = (mean(0), mean(1), mean(2));
        assert_eq!(probes().len(), 120);
        assert!(related > half + 0.1 && half > unrelated + 0.05, "{related} {half} {unrelated}");
    }

    #[tokio::test]
    async fn the_fitted_scale_leads_back_to_the_built_in_cosines() {
        let pairs = [
            ("compute compound interest", "Interest. Calculates the interest on savings"),
            ("resize a picture", "Thumbnails. Makes small versions of images"),
            ("when does the bus leave", "Poems. Writes a poem about a given theme"),
            ("delete old files", "Disk cleaner. Removes files that nobody opened for a year"),
        ];
        for (length, push) in [(1.0, 0.0), (0.5, 1.0), (3.0, 4.0)] {
            let embedder = Pushed { length, push };
            let scale = scale_of(&embedder).await.unwrap();
            for pair in pairs {
                let theirs = embedder.one(pair.0).cosine(&embedder.one(pair.1));
                let (read, wanted) = (scale.read(theirs), ours(pair));
                assert!((read - wanted).abs() < 0.05, "{pair:?}: {theirs} read as {read}, not {wanted}");
            }
        }
    }

    #[tokio::test]
    async fn an_embedder_that_sees_nothing_alike_is_refused() {
        let error = scale_of(&Nonsense).await.unwrap_err();
        assert!(matches!(&error, EmbedError::Unusable(why) if why.contains("nonsense")), "{error}");
    }

    #[tokio::test]
    async fn a_vector_too_few_is_refused() {
        let error = scale_of(&Forgetful).await.unwrap_err();
        assert!(matches!(error, EmbedError::Unusable(_)), "{error}");
    }
}
