import express from 'express';

/**
 * A service behind the gateway. It has no accounts, passwords or tokens of its own: the guard asks the gateway for each request.
 * @param {object} parts
 * @param {import('@auth-gateway/guard').Guard} parts.guard
 * @param {import('./appointments.js').Appointments} parts.appointments
 * @param {import('express').RequestHandler[]} parts.subgraph
 */
export function createService({ guard, appointments, subgraph }) {
  const app = express().disable('x-powered-by');
  // Nobody gets further without a valid access token.
  app.use('/appointments', guard.express());

  // Doctors see theirs, and patients see theirs.
  app.get('/appointments', (req, res) => {
    res.json({ data: appointments.of(guard.session(req).accountId) });
  });

  // The patient is always the caller, whatever the body says.
  app.post(
    '/appointments',
    guard.express({ role: 'patient' }),
    express.json({ limit: '10kb' }),
    (req, res) => {
      const { doctor, startsAt } = req.body ?? {};
      const errors = problemsOf(doctor, startsAt);
      if (Object.keys(errors).length > 0) {
        res.status(422).json({ message: Object.values(errors)[0]?.[0], errors });
        return;
      }
      const patient = guard.session(req).accountId;
      const time = new Date(startsAt).toISOString();
      const data = appointments.book({ patient, doctor: String(doctor), startsAt: time });
      if (data === undefined) {
        res.status(409).json({ message: 'The doctor is not free then.' });
        return;
      }
      res.status(201).json({ data });
    },
  );

  // A doctor sees appointments from the first day on, but acts only when a reviewer has looked at the license.
  app.put('/appointments/:id/confirmation', guard.express({ role: 'doctor', verified: true }), (req, res) => {
    if (!appointments.confirm(req.params.id, guard.session(req).accountId)) {
      res.status(404).json({ message: 'Not Found' });
      return;
    }
    res.status(204).end();
  });

  // A token may be limited to fewer abilities than its owner has.
  app.delete('/appointments/:id', guard.express({ ability: 'delete' }), (req, res) => {
    if (!appointments.cancel(req.params.id, guard.session(req).accountId)) {
      res.status(404).json({ message: 'Not Found' });
      return;
    }
    res.status(204).end();
  });

  app.use('/graphql', subgraph);
  app.use((_req, res) => void res.status(404).json({ message: 'Not Found' }));
  app.use(answerError);
  return app;
}

/**
 * @param {unknown} doctor
 * @param {unknown} startsAt
 * @returns {Record<string, string[]>} texts by field, as in the answers of the gateway
 */
const problemsOf = (doctor, startsAt) => ({
  ...(!/^\w{1,64}$/.test(String(doctor)) && { doctor: ['The doctor field must be the id of an account.'] }),
  ...(Number.isNaN(Date.parse(String(startsAt))) && {
    startsAt: ['The startsAt field must be a valid date.'],
  }),
});

/**
 * Answers in JSON, too, if the body cannot be read. Express tells errors by the four parameters.
 * @type {import('express').ErrorRequestHandler}
 */
const answerError = (error, _req, res, _next) => {
  const isTheirs = error.status >= 400 && error.status < 500;
  res.status(isTheirs ? error.status : 500);
  res.json({ message: isTheirs ? 'The body cannot be read.' : 'Server Error' });
};
