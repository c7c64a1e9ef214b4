/*
 * class-validator loads libphonenumber-js, 12 MB, for its decorator `IsPhoneNumber` alone. No input of the gateway has that
 * decorator: a phone number is a text in both APIs, as the legacy service took it. npm links this folder in its place, because
 * a workspace with a fitting name and version comes before the registry. To validate phone numbers, remove the folder and run
 * `npm install`.
 */
exports.parsePhoneNumber = () => {
  throw new Error('libphonenumber-js is not installed: see stand-ins/libphonenumber-js/max.js');
};
