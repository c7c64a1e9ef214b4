/* Bare Express 5: one route that answers JSON. */
import { createServer } from 'node:http';
import express from 'express';
import { listen } from './listen.js';

const app = express();
app.post('/', (_req, res) => res.json({ data: { me: { id: '1', name: 'Bench', role: 'PATIENT' } } }));
await listen(createServer(app));
