/* Bare Apollo Server 5 that always gives the same account. */
import { serveMe } from './apollo.js';

const account = { id: '1', name: 'Bench', email: 'bench@bench.example', role: 'PATIENT' };
await serveMe(() => account);
