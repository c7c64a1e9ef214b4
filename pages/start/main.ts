import '../shared/theme.css';
import './start.css';
import { offerCopies } from './copy.ts';
import { followReadiness } from './readiness.ts';

offerCopies();
followReadiness();
