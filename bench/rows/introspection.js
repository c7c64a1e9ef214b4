import { introspectionRequest, questionRow } from '../support/questions.js';

export const row = questionRow('introspection', introspectionRequest, '"active":true');
