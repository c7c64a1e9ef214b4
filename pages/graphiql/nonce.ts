// A module of its own, because it has to run before the modules of GraphiQL.
import { permitStyles } from '../shared/style-nonce.ts';
import { settings } from './graphiql-settings.ts';

permitStyles(settings.styleNonce);
