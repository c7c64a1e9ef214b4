import '../shared/theme.css';
import './start.css';
import { offerCopies } from './copy.ts';

offerCopies();
