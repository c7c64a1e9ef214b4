/* Bare Express 5 that listens when Mongoose has connected. */
import { createServer } from 'node:http';
import express from 'express';
import mongoose from 'mongoose';
import { listen } from './listen.js';

await mongoose.connect(process.env.MONGODB_URI);
const app = express();
app.use((_req, res) => res.status(401).json({ message: 'Unauthenticated.' }));
await listen(createServer(app));
