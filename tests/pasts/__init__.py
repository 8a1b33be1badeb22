"""Made-up pasts of whole federations: who played whom is known beforehand, and so who is who in each file."""
