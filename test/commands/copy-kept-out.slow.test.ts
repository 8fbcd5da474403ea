// What a copy in PostgreSQL does about a source that is wrong (a copy in SQLite: test/units/operate/copy-kept-out.test.ts).
import { after } from 'node:test'
import { describeLosses } from '../support/losses.ts'
import { dropSchemas } from '../support/postgres.ts'
import { describeWrongRows } from '../support/wrong-rows.ts'

after(dropSchemas)

describeWrongRows('postgres')
describeLosses('postgres')
