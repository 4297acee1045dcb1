"""What a notice says: kinds, brand, languages and money as text. The only holder of the Copywriter."""
