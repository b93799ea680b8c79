//! What is found in a policy before it is let in: everything that cannot work, with its line, and what is odd.

use std::sync::Arc;

use manifest::{Finding, Level, PolicyLines};
use model::{Bundle, Manifest, PolicyPlace, SIDECAR_FILE};
pub use policy::constraints::CaseResult;
use policy::constraints::analysis::{Remark, RemarkLevel, analyse};
use policy::constraints::{Declared, Identity, Policy, Problem, run_cases};

use crate::{Context, Error};

/// What is found in the policy facet of a bundle whose manifest could be read. Errors keep it out.
pub(crate) fn policy_findings(bundle: &Bundle, manifest: &Manifest) -> Vec<Finding> {
    let Some(policy) = &manifest.policy else { return Vec::new() };
    let lines = Lines::of(bundle);
    let mut findings = match Declared::compile(identity("this policy"), policy) {
        Ok(declared) => analyse(&declared, &[]).iter().map(|remark| lines.remark(remark)).collect(),
        Err(problems) => problems.iter().map(|problem| lines.problem(problem)).collect::<Vec<_>>(),
    };
    // The reader says it already.
    findings.retain(|finding: &Finding| finding.code != "policy_never_active" || !has_no_activation(policy));
    if let Err(tables) = manifest::policy_tests(bundle) {
        findings.extend(tables.into_iter().map(|finding| Finding { level: Level::Warning, ..finding }));
    }
    findings
}

fn has_no_activation(policy: &model::Policy) -> bool {
    policy.activation == model::Activation::default()
}

pub(super) fn identity(id: &str) -> Identity {
    Identity { id: id.to_owned(), name: id.to_owned(), version: None }
}

/// The lines of a bundle's policy.
pub(super) struct Lines(Option<PolicyLines>);

impl Lines {
    pub(super) fn of(bundle: &Bundle) -> Self {
        let text = bundle.get(SIDECAR_FILE).and_then(|file| std::str::from_utf8(&file.content).ok());
        Self(text.map(PolicyLines::read))
    }

    fn place(&self, finding: Finding, place: &PolicyPlace) -> Finding {
        let finding = finding.in_file(SIDECAR_FILE);
        match self.0.as_ref().and_then(|lines| lines.line(place)) {
            Some(line) => finding.at(line),
            None => finding,
        }
    }

    pub(super) fn problem(&self, problem: &Problem) -> Finding {
        self.place(Finding::error(problem.code(), problem.to_string()), &problem.place)
    }

    pub(super) fn remark(&self, remark: &Remark) -> Finding {
        let finding = match remark.level {
            RemarkLevel::Warning => Finding::warning(remark.code, &*remark.message),
            RemarkLevel::Info => Finding::info(remark.code, &*remark.message),
        };
        self.place(finding, &remark.place.clone().unwrap_or_default())
    }
}

/// What came of the test tables of a bundle.
#[derive(Debug, Clone)]
pub struct Tested {
    /// The cases, in the order of their files.
    pub cases: Vec<CaseResult>,
    /// What was found in the bundle; with errors there are no cases.
    pub findings: Vec<Finding>,
}

/// Runs the test tables of a bundle against its policy alone, as it would be in force.
pub async fn test(cx: &Context, caller: &model::Caller, bundle: Bundle) -> Result<Tested, Error> {
    policy::access::decide(caller, policy::access::Act::ListSkills)?;
    let copy = cx.clone();
    super::rehearse(cx, move || run_tables(&copy, &bundle)).await?
}

fn run_tables(cx: &Context, bundle: &Bundle) -> Result<Tested, Error> {
    let reading = crate::skills::examine(cx, bundle)?;
    let findings = reading.findings;
    let Some(policy) = &reading.manifest.policy else {
        let message = "the bundle has no policy; add `policy:` to `repertoire.yaml`";
        return Err(Error::invalid(crate::Code::InvalidSidecar, message));
    };
    let cases = manifest::policy_tests(bundle).map_err(|findings| Error::Invalid {
        code: crate::Code::InvalidSidecar,
        message: "the test tables of the policy cannot be read".to_owned(),
        findings,
    })?;
    let (name, _) = manifest::choose_name(&reading.manifest, None);
    let declared = Declared::compile(identity(name.as_str()), policy);
    // Examined a moment ago.
    let Ok(declared) = declared else { return Ok(Tested { cases: Vec::new(), findings }) };
    let policies: [Arc<dyn Policy>; 1] = [Arc::new(declared)];
    Ok(Tested { cases: run_cases(&policies, name.as_str(), &cases), findings })
}
