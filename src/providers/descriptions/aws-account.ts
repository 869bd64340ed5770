/** Shared by the descriptions of AWS: the account and its signature. */
import type { DescriptionFile } from '../description'

export const awsFields: DescriptionFile['fields'] = {
  accessKeyId: { title: 'Access key ID', pattern: '^[A-Z0-9]{16,128}$', says: 'must be an access key ID' },
  secretAccessKey: {
    title: 'Secret access key',
    secret: true,
    pattern: '^[\\x21-\\x7e]+$',
    says: 'must be a secret access key',
  },
  sessionToken: { title: 'Session token', help: 'Only for temporary keys.', secret: true, optional: true },
  region: { title: 'Region', pattern: '^[a-z]{2}(-[a-z]+)+-\\d$', says: 'must be a region such as us-east-1' },
}

export const signedByAws = (service: string): DescriptionFile['auth'] => ({
  type: 'sigv4',
  service,
  region: '{{region}}',
  accessKeyId: '{{accessKeyId}}',
  secretAccessKey: '{{secretAccessKey}}',
  sessionToken: '{{sessionToken}}',
})
