/** The value below which a part (0 to 1) of the values is. */
export const quantile = (values, part) => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
};

export const median = (values) => quantile(values, 0.5);

/** The summary of a few rounds. */
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
 * Welch's t as in dudect: once over all values, and once over those below a common bound, because a few slow outliers hide a
 * small difference. Returns the larger of the two.
 */
export function strictestT(a, b) {
  const bound = quantile([...a, ...b], 0.9);
  const cropped = [a, b].map((values) => values.filter((value) => value <= bound));
  const all = welchT(a, b);
  // If a whole sample is beyond the bound, the uncropped t shows the difference.
  if (cropped.some((values) => values.length < 10)) {
    return all;
  }
  const withoutOutliers = welchT(...cropped);
  return Math.abs(withoutOutliers) > Math.abs(all) ? withoutOutliers : all;
}
