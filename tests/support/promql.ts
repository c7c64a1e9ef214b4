/** A metric that an expression names, with what it demands of the metric's labels. */
export interface Selector {
  metric: string;
  /** Each label with the values that it is compared with. */
  matchers: { label: string; values: string[] }[];
}

/** What an expression of PromQL reads. */
export interface Reading {
  selectors: Selector[];
  /** The labels by which it aggregates; undefined if its results have all labels of the metric. */
  by: string[] | undefined;
}

const KEYWORDS = ['and', 'or', 'unless', 'offset', 'bool', 'by'];
const BY = /\bby \(([^)]*)\)/g;
const MATCHER = /(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g;
/** A name that is no function, with its braces. The range and the numbers are removed before. */
const NAME = /([a-zA-Z_]\w*)\b(?!\s*\()(?:\{([^}]*)\})?/g;

/** Reads an expression of our alerts and our dashboard. It knows no more of PromQL than they use. */
export function readExpression(expr: string): Reading {
  const groupings = [...expr.matchAll(BY)].map(([, labels = '']) => labels.split(/,\s*/));
  const plain = expr
    .replace(BY, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b\d+(?:\.\d+)?(?:e\d+)?\b/g, '');
  const selectors = [...plain.matchAll(NAME)]
    .filter(([, name = '']) => !KEYWORDS.includes(name))
    .map(([, metric = '', braces = '']) => ({ metric, matchers: matchersIn(braces) }));
  const isAggregated = /\b(?:sum|max|min|count|histogram_quantile|absent)\b/.test(expr);
  return { selectors, by: isAggregated ? [...new Set(groupings.flat())] : undefined };
}

const matchersIn = (braces: string): Selector['matchers'] =>
  [...braces.matchAll(MATCHER)].map(([, label = '', value = '']) => ({ label, values: value.split('|') }));
