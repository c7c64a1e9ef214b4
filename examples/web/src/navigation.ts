/** The address of a view, after the `#`. */
export type Place =
  | '/login'
  | '/forgotten'
  | '/reset'
  | '/register/doctor'
  | '/register/patient'
  | '/account'
  | '/review';

let arrivalNotice = '';

/** Shows another view with a notice, such as the reason for the change. */
export function goTo(place: Place, notice = ''): void {
  arrivalNotice = notice;
  location.hash = place;
}

/** Shows a notice. Screen readers read it aloud. */
export function announce(text: string): void {
  const notice = document.querySelector('#notice');
  if (notice) {
    notice.textContent = text;
  }
}

/** Call it after a view is shown. It replaces the old notice with that of the new view. */
export function announceArrival(): void {
  announce(arrivalNotice);
  arrivalNotice = '';
}
