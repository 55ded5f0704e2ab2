import { encapsulationContract } from '../contract/port/encapsulation.ts'

encapsulationContract('workerd')
