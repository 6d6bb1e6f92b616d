//! The rules of `ClearURLs`: providers, each with a pattern of URLs and expressions for the names of parameters to drop.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::active::{ActiveRule, distinct, partition};
use crate::collect::ImportedRules;
use crate::from_regex::{hosts_of, words};
use crate::param_rule::{Change, ParamRule, Path, param_rule};
use crate::to_regex::escape;
use crate::url_pattern::{place_name, url_pattern};
use crate::{ImportError, Written};

pub(crate) const CAVEATS: &[&str] = &[
    "letter case is not looked at, neither in URLs nor in names of parameters",
    "a parameter is also dropped without a value and twice; it is dropped from fragments, too",
];

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Provider {
    url_pattern: String,
    #[serde(rename = "completeProvider")]
    is_complete: bool,
    rules: Vec<String>,
    raw_rules: Vec<String>,
    referral_marketing: Vec<String>,
    exceptions: Vec<String>,
    redirections: Vec<String>,
    force_redirection: bool,
}

#[derive(Serialize)]
struct File {
    providers: BTreeMap<String, Provider>,
}

#[derive(Deserialize)]
struct FileRead {
    providers: BTreeMap<String, Value>,
}

pub(crate) fn export(rules: &[ActiveRule]) -> Written {
    let (said, left_out) = partition(rules, |rule| {
        let param_rule = param_rule(rule)?;
        let name = match &param_rule.change {
            Change::Drop(name) => escape(name),
            Change::DropAll => ".*".to_owned(),
            Change::KeepOnly(_) | Change::Sort => return Err("parameters can only be dropped".to_owned()),
        };
        Ok((place_name(&param_rule), url_pattern(&param_rule), name))
    });
    let mut providers: BTreeMap<String, Provider> = BTreeMap::new();
    for (_, (place, url_pattern, name)) in said {
        let provider = providers.entry(place).or_default();
        provider.url_pattern = url_pattern;
        provider.rules.push(name);
    }
    for provider in providers.values_mut() {
        provider.rules = distinct(std::mem::take(&mut provider.rules));
    }
    let text = serde_json::to_string_pretty(&File { providers }).unwrap_or_default() + "\n";
    Written { text, left_out }
}

pub(crate) fn import(text: &str) -> Result<ImportedRules, ImportError> {
    let file: FileRead = serde_json::from_str(text)?;
    let mut collected = ImportedRules::default();
    for (name, value) in file.providers {
        match serde_json::from_value::<Provider>(value) {
            Ok(provider) => import_provider(&name, &provider, &mut collected),
            Err(error) => collected.leave_out(format!("provider {name}"), error.to_string()),
        }
    }
    Ok(collected)
}

fn import_provider(name: &str, provider: &Provider, collected: &mut ImportedRules) {
    let hosts = match hosts_of(&provider.url_pattern) {
        Ok(hosts) => hosts,
        Err(reason) => {
            let what = format!("provider {name}, {} rules, {}", provider.rules.len(), provider.url_pattern);
            return collected.leave_out(what, reason);
        }
    };
    for rule in &provider.rules {
        let what = format!("provider {name}: {rule}");
        match words(rule) {
            Ok(names) => {
                for dropped in names {
                    let (hosts, change) = (hosts.clone(), Change::Drop(dropped));
                    collected.add_param_rule(
                        &ParamRule { scheme: None, hosts, port: None, path: Path::Any, change },
                        &what,
                    );
                }
            }
            Err(reason) => collected.leave_out(what, reason),
        }
    }
    let unsaid = [
        (&provider.raw_rules, "rawRule", "it replaces text by an expression"),
        (&provider.referral_marketing, "referralMarketing", "it is only dropped by those who ask for it"),
        (
            &provider.exceptions,
            "exception",
            "rules have no exceptions: those of this provider hold there, too",
        ),
        (&provider.redirections, "redirection", "where it leads must be decoded"),
    ];
    for (items, kind, reason) in unsaid {
        for item in items {
            collected.leave_out(format!("provider {name}, {kind}: {item}"), reason);
        }
    }
    if provider.is_complete {
        collected.leave_out(format!("provider {name}, completeProvider"), "rules block nothing");
    }
}
