/**
 * What is used of it; as a module of ours, so that the rest is left out of a page. In the language of today: written for old
 * engines it takes half as long again to read a number.
 */
export {
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max/es6'
