//! nginx: one `map` from the URL asked for to the one it is redirected to.

use crate::dialect::quoted;
use crate::redirects::{IN_NORMAL_FORM, Redirecting};

pub(crate) fn write(rules: &[Redirecting]) -> String {
    let mut lines = vec![head()];
    for rule in rules {
        lines.push(format!("    # {}: rule {}\n", rule.rule.site, rule.rule.id()));
        for (pattern, replacement) in &rule.regexes {
            lines.push(format!("    {} {};\n", quoted(&format!("~{pattern}")), quoted(replacement)));
        }
    }
    lines.push("}\n".to_owned());
    lines.concat()
}

fn head() -> String {
    let request = format!("~^(?:GET|HEAD) [^A-Z ]+ {IN_NORMAL_FORM}/");
    format!(
        "# In the http block. In each server block that is to redirect:\n\
         #   if ($undust_canonical) {{ return 301 $undust_canonical; }}\n\
         # Requests by GET and HEAD in normal form are redirected.\n\
         map \"$request_method $http_host $request_uri\" $undust_url {{\n    \
             default \"\";\n    \
             {} \"$scheme://$http_host$request_uri\";\n\
         }}\n\
         map $undust_url $undust_canonical {{\n    \
             default \"\";\n",
        quoted(&request)
    )
}
