/** The views by the address that they have behind the `#`. */
export type Place = '/login' | '/register/doctor' | '/register/patient' | '/account';

let arrivalNotice = '';

/** Shows another view, and there a notice, such as why one has come there. */
export function goTo(place: Place, notice = ''): void {
  arrivalNotice = notice;
  location.hash = place;
}

/** Tells, and has screen readers say, what has just happened. */
export function announce(text: string): void {
  const notice = document.querySelector('#notice');
  if (notice) {
    notice.textContent = text;
  }
}

/** To be called once a view is shown: the last one's notice goes, the one for the arrival comes. */
export function announceArrival(): void {
  announce(arrivalNotice);
  arrivalNotice = '';
}
