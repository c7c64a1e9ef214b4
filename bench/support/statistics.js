/** The value below which this part (0 to 1) of the values lies. */
export const quantile = (values, part) => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
};

export const median = (values) => quantile(values, 0.5);

/** What a few rounds came to. */
export const spread = (values) => ({
  median: median(values),
  min: Math.min(...values),
  max: Math.max(...values),
});

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The square of the standard error of the mean. */
function squaredError(values) {
  const middle = mean(values);
  const sum = values.reduce((total, value) => total + (value - middle) ** 2, 0);
  return sum / (values.length - 1) / values.length;
}

/** Welch's t: how many standard errors the means of two samples are apart. Positive where `a` is the larger. */
const welchT = (a, b) => (mean(a) - mean(b)) / Math.sqrt(squaredError(a) + squaredError(b));

/**
 * Welch's t as dudect takes it: over all values, and over those below a bound common to both samples, because a few
 * slow outliers hide a small difference. The larger of the two.
 */
export function strictestT(a, b) {
  const bound = quantile([...a, ...b], 0.9);
  const cropped = [a, b].map((values) => values.filter((value) => value <= bound));
  const all = welchT(a, b);
  // A sample that lies wholly beyond the bound differs beyond doubt, and the uncropped t says so.
  if (cropped.some((values) => values.length < 10)) {
    return all;
  }
  const withoutOutliers = welchT(...cropped);
  return Math.abs(withoutOutliers) > Math.abs(all) ? withoutOutliers : all;
}
