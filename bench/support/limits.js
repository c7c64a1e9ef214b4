/**
 * A row of several figures that each have a limit. It is measured once; its value is the figure that is nearest to its limit, as
 * a part of that.
 * @param open starts what is measured. It returns `close` and `measure`, which returns `{ value, limit }` of each figure by its name
 */
export const limitsRow = ({ what, open, ...rest }) => ({
  what: `${what}: the figure that is nearest to its limit`,
  yardstick: 'its limit',
  unit: '',
  reach: { most: 1 },
  isWarm: false,
  mostRounds: 1,
  ...rest,
  async open(options) {
    const { measure, close } = await open(options);
    const notes = {};
    return {
      yardstick: async () => 1,
      value: async () => {
        const figures = Object.entries(await measure());
        Object.assign(notes, Object.fromEntries(figures.map(([name, { value }]) => [name, value])));
        return Math.max(...figures.map(([, { value, limit }]) => value / limit));
      },
      notes,
      close,
    };
  },
});
