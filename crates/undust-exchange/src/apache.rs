//! Apache's `mod_rewrite`: the URL as it was asked for, and a redirect for each expression.

use crate::Written;
use crate::dialect::{APACHE, quoted};
use crate::in_force::{InForce, sort_out};

/// `REQUEST_URI` is decoded: what was asked for stands in the request line.
const HEAD: &str = "\
# In the configuration of the server or of a virtual host.
RewriteEngine On
RewriteCond \"%{THE_REQUEST}\" \"^[A-Z]+ (/[^ ]*) \"
RewriteRule \"^\" \"-\" [E=UNDUST_URL:%{REQUEST_SCHEME}://%{HTTP_HOST}%1]
";

pub(crate) fn export(rules: &[InForce]) -> Written {
    let (said, left_out) = sort_out(rules, |rule| APACHE.write(rule));
    let mut lines = vec![HEAD.to_owned()];
    for (rule, regexes) in said {
        lines.push(format!("# {}: rule {}\n", rule.site, rule.id()));
        for (pattern, replacement) in regexes {
            lines.push(format!("RewriteCond \"%{{ENV:UNDUST_URL}}\" {}\n", quoted(&pattern)));
            lines.push(format!("RewriteRule \"^\" {} [R=301,L,NE,QSD]\n", quoted(&replacement)));
        }
    }
    Written { text: lines.concat(), left_out }
}
