import { cutCases } from './crash/cut-case.ts'

cutCases('strict')
