import type { MailTexts } from './en.ts';

/** The texts of all mails in German. en.ts explains the keys and the placeholders. */
export const de: MailTexts = {
  lang: 'de',
  dir: 'ltr',
  dates: 'de',
  on: ' am {date} um {time}',
  brand: { contact: 'Kontakt', imprint: 'Impressum', privacy: 'Datenschutz' },
  login: 'Anmelden',
  unexpected: {
    reset:
      'Wenn Sie das nicht waren, fordern Sie sofort auf der Anmeldeseite ein neues Passwort an und bitten Sie den Betreiber des Dienstes um Hilfe.',
    operator: 'Wenn Sie das nicht waren, bitten Sie den Betreiber des Dienstes sofort um Hilfe.',
    byOperator: 'Wenn Sie das nicht verlangt haben, sagen Sie es sofort dem Betreiber des Dienstes.',
    questions: 'Wenn Sie Fragen haben, wenden Sie sich an den Betreiber des Dienstes.',
  },
  stranger: {
    reset:
      'Wenn dieses Konto nicht Ihres ist, hat jemand Ihre E-Mail-Adresse benutzt: Fordern Sie auf der Anmeldeseite mit ihr ein neues Passwort an, das den Zugang aller anderen beendet, und schließen Sie das Konto.',
    link: 'Wenn dieses Konto nicht Ihres ist, hat jemand Ihre E-Mail-Adresse benutzt: Wählen Sie über den Link oben ein neues Passwort, das den Zugang aller anderen beendet, und schließen Sie das Konto.',
    operator:
      'Wenn dieses Konto nicht Ihres ist, hat jemand Ihre E-Mail-Adresse benutzt: Bitten Sie den Betreiber des Dienstes, sie zu entfernen.',
    inactive:
      'Wenn dieses Konto nicht Ihres ist, brauchen Sie nichts zu tun: Niemand kann sich damit anmelden.',
    former:
      'Wenn dieses Konto nicht Ihres ist, brauchen Sie nichts zu tun: Es hat Ihre E-Mail-Adresse nicht mehr.',
    asked:
      'Wenn Sie das nicht waren, brauchen Sie nichts zu tun: Ohne den Link bekommt kein Konto Ihre Adresse.',
  },
  'password reset': {
    subject: 'Wählen Sie ein neues Passwort',
    told: 'Jemand hat für Ihr Konto bei {host} ein neues Passwort angefordert. Wenn Sie das waren, wählen Sie eines über diesen Link, der einmal und {minutes} Minuten lang funktioniert.',
    byOperator:
      'Der Betreiber von {host} hat Ihnen diesen Link geschickt, damit Sie ein neues Passwort für Ihr Konto wählen. Er funktioniert einmal und {minutes} Minuten lang.',
    opens: 'Das Konto ist geschlossen. Ein neues Passwort öffnet es wieder.',
    unexpected: 'Wenn Sie das nicht waren, brauchen Sie nichts zu tun: Ihr Passwort bleibt, wie es ist.',
    link: 'Neues Passwort wählen',
  },
  'e-mail proof': {
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    told: 'Bei {host} gibt es ein Konto mit dieser E-Mail-Adresse. Wenn es Ihres ist, bestätigen Sie die Adresse über diesen Link, der einmal und {hours} Stunden lang funktioniert.',
    link: 'E-Mail-Adresse bestätigen',
  },
  'e-mail change': {
    subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
    told: 'Jemand möchte diese E-Mail-Adresse für ein Konto bei {host} verwenden. Wenn Sie das waren, bestätigen Sie sie über diesen Link, der einmal und {hours} Stunden lang funktioniert.',
    byOperator:
      'Der Betreiber von {host} möchte diese E-Mail-Adresse für Ihr Konto verwenden. Wenn das richtig ist, bestätigen Sie sie über diesen Link, der einmal und {hours} Stunden lang funktioniert.',
  },
  'e-mail change requested': {
    subject: 'Eine neue E-Mail-Adresse für Ihr Konto',
    told: 'Jemand, der bei Ihrem Konto bei {host} angemeldet ist, hat{on} eine andere E-Mail-Adresse angefordert. Das Konto bekommt sie, sobald der Link benutzt wird, der dorthin geschickt wurde.',
    byOperator:
      'Der Betreiber von {host} hat{on} eine andere E-Mail-Adresse für Ihr Konto angefordert und alle Sitzungen beendet. Das Konto bekommt die Adresse, sobald der Link benutzt wird, der dorthin geschickt wurde.',
    unexpected: 'Wenn Sie das nicht waren, wählen Sie sofort ein neues Passwort: Das stoppt die Änderung.',
  },
  'e-mail in use': {
    subject: 'Sie haben bereits ein Konto',
    told: 'Jemand wollte diese E-Mail-Adresse für ein anderes Konto bei {host} verwenden. Sie haben damit bereits ein Konto, daher wurde nichts geändert.',
    more: 'Wenn Sie das waren, melden Sie sich mit dieser Adresse an.',
    forgotten: 'Fordern Sie auf der Anmeldeseite ein neues Passwort an, wenn Sie Ihres vergessen haben.',
  },
  'password changed': {
    subject: 'Ihr Passwort wurde geändert',
    told: 'Das Passwort Ihres Kontos bei {host} wurde{on} geändert.',
    more: 'Passkeys, mit denen man sich noch anmelden kann: {passkeys}. Sehen Sie nach, ob alle Ihnen gehören, und entfernen Sie die anderen.',
  },
  'e-mail changed': {
    subject: 'Ihre E-Mail-Adresse wurde geändert',
    told: 'Die E-Mail-Adresse Ihres Kontos bei {host} wurde{on} geändert.',
    byOperator: 'Der Betreiber von {host} hat{on} die E-Mail-Adresse Ihres Kontos geändert.',
    former: 'Mit dieser Adresse können Sie sich nicht mehr anmelden.',
    present: 'Der Betreiber von {host} hat Ihrem Konto{on} diese E-Mail-Adresse gegeben.',
    more: 'Melden Sie sich von nun an mit dieser Adresse an.',
  },
  'new device': {
    subject: 'Anmeldung mit einem anderen Gerät',
    told: 'Jemand hat sich{on} bei Ihrem Konto bei {host} mit einem Gerät angemeldet, das das Konto noch nicht kannte: {device}.',
    named: '{browser} auf {system}',
    unknown: 'ein unbekanntes Programm',
  },
  'second factor added': {
    subject: 'Die Zwei-Faktor-Anmeldung ist eingeschaltet',
    told: 'Zu Ihrem Konto bei {host} wurde{on} eine Authenticator-App hinzugefügt. Von nun an wird bei jeder Anmeldung ihr Code verlangt, und alle anderen Sitzungen sind beendet.',
    more: 'Bewahren Sie die Wiederherstellungscodes auf: Mit jedem können Sie sich einmal anmelden, wenn Sie die App verlieren.',
  },
  'second factor replaced': {
    subject: 'Ihre Authenticator-App wurde ersetzt',
    told: 'Die Authenticator-App Ihres Kontos bei {host} wurde{on} ersetzt. Die bisherige App und die bisherigen Wiederherstellungscodes funktionieren nicht mehr, und alle anderen Sitzungen sind beendet.',
  },
  'second factor removed': {
    subject: 'Die Zwei-Faktor-Anmeldung ist ausgeschaltet',
    told: 'Die Authenticator-App und die Wiederherstellungscodes Ihres Kontos bei {host} wurden{on} entfernt.',
    more: 'Für eine Anmeldung genügt jetzt das Passwort.',
  },
  'second factor reset': {
    subject: 'Die Zwei-Faktor-Anmeldung wurde entfernt',
    told: 'Der Betreiber von {host} hat{on} das Passwort und alle zweiten Faktoren Ihres Kontos entfernt, und alle Sitzungen sind beendet.',
    more: 'Wählen Sie auf der Anmeldeseite oder mit einem Link des Betreibers ein neues Passwort und richten Sie wieder einen zweiten Faktor ein.',
  },
  'new recovery codes': {
    subject: 'Neue Wiederherstellungscodes',
    told: 'Für Ihr Konto bei {host} wurden{on} neue Wiederherstellungscodes erstellt. Die bisherigen funktionieren nicht mehr.',
  },
  'recovery code used': {
    subject: 'Ein Wiederherstellungscode wurde benutzt',
    told: 'Ein Wiederherstellungscode Ihres Kontos bei {host} wurde{on} für eine Anmeldung oder zur Bestätigung einer Änderung benutzt. Noch übrig: {left}.',
  },
  'few recovery codes': {
    subject: 'Sie haben nur noch wenige Wiederherstellungscodes',
    told: 'Ein Wiederherstellungscode Ihres Kontos bei {host} wurde{on} benutzt, und zwei sind übrig.',
    more: 'Melden Sie sich an und erstellen Sie neue, damit Sie Ihr Konto nicht verlieren, wenn Sie Ihren zweiten Faktor verlieren. Wenn Sie ihn schon verloren haben, melden Sie sich mit einem Wiederherstellungscode an und fügen Sie einen anderen hinzu.',
  },
  'wrong codes': {
    subject: 'Falsche Codes bei Ihrem Konto',
    told: 'Jemand, der das Passwort Ihres Kontos bei {host} kennt, hat{on} dreimal hintereinander einen falschen Code gesendet.',
  },
  'passkey added': {
    subject: 'Ein Passkey wurde hinzugefügt',
    told: 'Zu Ihrem Konto bei {host} wurde{on} ein Passkey hinzugefügt. Wer das Gerät hat, kann sich damit durch einen Fingerabdruck, ein Gesicht oder eine PIN anmelden.',
    unexpected:
      'Wenn Sie das nicht waren, melden Sie sich an, entfernen Sie den Passkey, wählen Sie sofort ein neues Passwort und bitten Sie den Betreiber des Dienstes um Hilfe.',
  },
  'passkey removed': {
    subject: 'Ein Passkey wurde entfernt',
    told: 'Ein Passkey Ihres Kontos bei {host} wurde{on} entfernt. Niemand kann sich damit noch anmelden.',
    byOperator:
      'Der Betreiber von {host} hat{on} einen Passkey Ihres Kontos entfernt. Niemand kann sich damit noch anmelden.',
    more: 'Sitzungen, die damit begonnen wurden, sind nicht beendet.',
  },
  'doctor decided': {
    subject: 'Ihre Registrierung als Ärztin oder Arzt wurde geprüft',
    told: 'Ihre Registrierung als Ärztin oder Arzt bei {host} wurde{on} geprüft.',
    subjectOfCorrection: 'Die Berichtigung Ihrer Daten wurde geprüft',
    corrected: 'Die Berichtigung Ihrer Daten bei {host} wurde{on} geprüft.',
    decisions: {
      verified: 'Sie sind verifiziert.',
      rejected: 'Sie wurde nicht anerkannt. Sie können neue Unterlagen einreichen.',
      suspended: 'Sie sind gesperrt und gelten nicht als verifiziert.',
      'end removed': 'Sie sind verifiziert, und das endet nicht mehr.',
      'correction approved': 'Sie wurde angenommen.',
      'correction rejected':
        'Sie wurde nicht angenommen. Ihre Daten bleiben, wie sie waren, und Sie sind weiterhin verifiziert.',
      'proposal rejected':
        'Was Sie gesendet haben, wurde nicht angenommen. Ihre Verifizierung bleibt, wie sie war.',
    },
    until: 'Ihre Verifizierung gilt bis zum Ende des {until}.',
    because: 'Gründe: {grounds}.',
    grounds: {
      unreadable: 'ein Dokument ist nicht lesbar',
      'document-expired': 'ein Dokument ist nicht mehr gültig',
      'name-differs': 'Ihr Name weicht von dem in den Unterlagen ab',
      'number-not-found': 'Ihre Approbationsnummer wurde nicht gefunden',
      'wrong-document': 'ein Dokument ist nicht das richtige',
    },
    wrote: 'Anmerkung aus der Prüfung: {reason}',
    withheld: 'Zu der Prüfung gibt es eine Begründung. Melden Sie sich an, um sie zu lesen.',
    again: 'Bitte senden Sie noch einmal: {documents}. Alles andere bleibt.',
    documents: { license: 'die Approbation', diploma: 'das Diplom', certification: 'die Facharzturkunde' },
  },
  'verification ends': {
    subject: 'Ihre Verifizierung endet bald',
    told: 'Ihre Verifizierung als Ärztin oder Arzt bei {host} gilt bis zum Ende des {until}.',
    more: 'Senden Sie vorher in Ihrem Konto neue Unterlagen, damit Sie verifiziert bleiben.',
  },
  'account closed': {
    subject: 'Ihr Konto wurde geschlossen',
    told: 'Ihr Konto bei {host} wurde{on} geschlossen. Niemand kann sich mehr damit anmelden.',
    byOperator:
      'Der Betreiber von {host} hat{on} Ihr Konto geschlossen. Niemand kann sich mehr damit anmelden.',
    erased: 'Alle Daten des Kontos werden gelöscht.',
    erasedOn:
      'Alle Daten des Kontos werden{on} gelöscht. Bis dahin kann der Betreiber des Dienstes das Konto wieder öffnen.',
  },
  'account disabled': {
    subject: 'Ihr Konto wurde gesperrt',
    told: 'Ihr Konto bei {host} wurde{on} gesperrt. Niemand kann sich damit anmelden, und alle Sitzungen sind beendet.',
  },
  'account enabled': {
    subject: 'Ihr Konto ist wieder freigegeben',
    told: 'Ihr Konto bei {host} wurde{on} wieder freigegeben. Sie können sich anmelden.',
  },
  invitation: {
    subject: 'Ihre Einladung',
    told: 'Der Betreiber von {host} lädt Sie ein, sich als {role} zu registrieren. Registrieren Sie sich mit dieser E-Mail-Adresse über diesen Link, der einmal und {days} Tage lang funktioniert.',
    roles: { doctor: 'Ärztin oder Arzt', patient: 'Patientin oder Patient' },
    stranger:
      'Wenn Sie das nicht erwartet haben, brauchen Sie nichts zu tun: Die Einladung endet von selbst.',
    link: 'Registrieren',
  },
  test: {
    subject: 'Testnachricht des Auth-Gateways',
    nothing:
      'Der Betreiber des Auth-Gateways prüft mit dieser Nachricht, ob E-Mails ankommen. Sie brauchen nichts zu tun.',
  },
};
