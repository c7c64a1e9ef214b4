/** An eye, or an eye that is crossed out. */
export const EyeIcon = ({ isOpen }: { isOpen: boolean }) => (
  <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" className="icon">
    <path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12Z" />
    <circle cx="12" cy="12" r="2.75" />
    {!isOpen && <path d="M4 4l16 16" />}
  </svg>
);
