import './docs.css';
import { readSettings } from '../shared/settings.ts';
import { permitStyles } from '../shared/style-nonce.ts';
import { configuration } from './configuration.ts';
import { fillForms, freshExamples, renewRegistrations } from './examples.ts';
import { forgetAll } from './forgetful-storage.ts';
import { keepToPolicy } from './policy.ts';
import { repairMarkup } from './repairs.ts';
import { followRequests } from './requests.ts';
import { shownDocument, showReference } from './scalar.ts';

permitStyles(readSettings<{ styleNonce: string }>().styleNonce);
keepToPolicy();
forgetAll();

const place = document.getElementById('docs');
if (place) {
  const text = await (await fetch('openapi.yaml')).text();
  const settings = configuration(freshExamples(text), () => fillForms(shownDocument()));
  const reference = await showReference(place, settings());
  repairMarkup(place);
  followRequests({
    useToken: (token) => reference.updateConfiguration(settings(token)),
    registered: () => renewRegistrations(shownDocument()),
  });
}
