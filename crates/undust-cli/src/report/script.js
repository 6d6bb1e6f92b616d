'use strict';
// Everything can be read without this: it finds rules, and opens what is folded.
(() => {
  const all = (what, where) => Array.from((where || document).querySelectorAll(what));
  document.documentElement.classList.add('js');

  const box = document.getElementById('filter');
  if (box) {
    const shown = document.getElementById('shown');
    const rules = all('.rule');
    const texts = rules.map(rule => (rule.textContent + ' ' + rule.dataset.site).toLowerCase());
    const filter = () => {
      const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      rules.forEach((rule, at) => {
        rule.hidden = !words.every(word => texts[at].includes(word));
      });
      all('#rules .site').forEach(site => {
        site.hidden = !all('.rule:not([hidden])', site).length;
        if (words.length) site.open = !site.hidden;
      });
      const found = rules.filter(rule => !rule.hidden).length;
      shown.textContent = words.length ? found + ' of ' + rules.length : '';
    };
    box.addEventListener('input', filter);
  }

  all('section').forEach(section => {
    const folded = all('details', section);
    if (!folded.length) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'open all';
    button.addEventListener('click', () => {
      const open = folded.some(details => !details.open);
      folded.forEach(details => { details.open = open; });
      button.textContent = open ? 'close all' : 'open all';
    });
    section.querySelector('h2').append(button);
  });

  // Examples are on paper, too; sites and patterns are there as the reader left them.
  let opened = [];
  addEventListener('beforeprint', () => {
    opened = all('.examples:not([open])');
    opened.forEach(details => { details.open = true; });
  });
  addEventListener('afterprint', () => {
    opened.forEach(details => { details.open = false; });
    opened = [];
  });
})();
