import { createGuard } from '@auth-gateway/guard';
import express from 'express';

const guard = createGuard({ url: 'https://auth.example.org', client: 'appointments', secret: 'x' });
const app = express();
app.use(guard.express());
app.get('/', guard.express({ role: 'doctor', verified: true }), (req, res) => {
  res.json(guard.session(req).abilities);
});
app.use(async (req, _res, next) => {
  const { session, requireSession } = await guard.context(req);
  // @ts-expect-error: there may be no session
  session.name;
  requireSession({ ability: 'update' });
  // @ts-expect-error: there is no such requirement
  requireSession({ verified: false });
  next();
});
