/** What is used of it; as a module of ours, so that the rest is left out of a page. */
export {
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max'
