//! Apache's `mod_rewrite`: the URL as it was asked for, and a redirect for each expression.

use crate::dialect::quoted;
use crate::redirects::{IN_NORMAL_FORM, Redirecting};

pub(crate) fn write(rules: &[Redirecting]) -> String {
    let mut lines = vec![head()];
    for rule in rules {
        lines.push(format!("# {}: rule {}\n", rule.rule.site, rule.rule.id()));
        for (pattern, replacement) in &rule.regexes {
            lines.push(format!("RewriteCond \"%{{ENV:UNDUST_URL}}\" {}\n", quoted(pattern)));
            lines.push(format!("RewriteRule \"^\" {} [R=301,L,NE,QSD]\n", quoted(replacement)));
        }
    }
    lines.concat()
}

/// `REQUEST_URI` is decoded, and its slashes are merged: what was asked for stands in the request line.
fn head() -> String {
    let request = format!("^(?:GET|HEAD) {IN_NORMAL_FORM}(/[^ ]*) ");
    format!(
        "# In the configuration of the server or of a virtual host. Requests by GET and HEAD in normal form are redirected.\n\
         RewriteEngine On\n\
         RewriteCond \"%{{HTTP_HOST}}\" \"^[^A-Z]+$\"\n\
         RewriteCond \"%{{THE_REQUEST}}\" {}\n\
         RewriteRule \"^\" \"-\" [E=UNDUST_URL:%{{REQUEST_SCHEME}}://%{{HTTP_HOST}}%1]\n",
        quoted(&request)
    )
}
